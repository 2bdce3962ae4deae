package reprise.runtime;

import java.util.Arrays;

import jdk.internal.vm.annotation.DontInline;

/**
 * On which side a member is that does not depend on the class of a receiver: a
 * static one, or a field. The agent is asked once per site.
 */
final class Fixed {
    private static final byte STAYS = 1;
    private static final byte LEAVES = 2;

    /** By site; 0 for those that nobody has asked about. */
    private static byte[] known = new byte[1024];

    private Fixed() {}

    private static int at(int site) {
        byte[] all = known;
        return site < all.length ? all[site] : 0;
    }

    /** Whether it is outside, looked up in this class. */
    static boolean leaves(Class<?> c, int site) {
        int now = at(site);
        return now == 0 ? ask(c, site) : now == LEAVES;
    }

    /** Whether it is known to be outside. */
    static boolean leaves(int site) {
        return at(site) == LEAVES;
    }

    /** Whether it is known to be inside. */
    static boolean stays(int site) {
        return at(site) == STAYS;
    }

    @DontInline
    private static boolean ask(Class<?> c, int site) {
        boolean leaves = Native.leaves(c, site);
        synchronized (Fixed.class) {
            byte[] all = known;
            if (site >= all.length) {
                all = Arrays.copyOf(all, Math.max(site + 1, all.length * 2));
            }
            all[site] = leaves ? LEAVES : STAYS;
            known = all;
        }
        return leaves;
    }
}
