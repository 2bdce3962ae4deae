package reprise.runtime;

import java.lang.reflect.Field;
import java.util.Arrays;

/** What listings of fields do not show. */
public final class Hidden {
    private Hidden() {}

    /** Called by the JDK with what it is about to list. */
    public static Field[] fields(Field[] all) {
        for (int i = 0; i < all.length; i++) {
            if (all[i].getName().equals(ClassInfo.FIELD)) {
                Field[] others = Arrays.copyOf(all, all.length - 1);
                System.arraycopy(all, i + 1, others, i, others.length - i);
                return others;
            }
        }
        return all;
    }
}
