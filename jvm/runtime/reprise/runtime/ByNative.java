package reprise.runtime;

import java.lang.reflect.Field;

/** Inside fields that native code uses. The agent calls these. */
final class ByNative {
    /** In place of a site: native code has no place that could be told. */
    private static final int NOWHERE = 0;

    private ByNative() {}

    /** Whether objects of a class have inside fields, or it has some itself. */
    static boolean concerns(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (ClassInfo.of(c).space == ClassInfo.INSIDE) {
                return true;
            }
        }
        return false;
    }

    static void wrote(Field field, Object object) {
        Probe.fieldSet(field, object, NOWHERE);
    }

    static void found(Object value, Field field, Object object) {
        Probe.fieldGot(value, field, object, NOWHERE);
    }
}
