package reprise.runtime;

import java.util.Arrays;

/**
 * Whether a site leaves the inside, for each class of receiver it has met.
 *
 * The agent is asked once per site and class. What is kept is the class's
 * {@link ClassInfo}, which does not keep the class alive.
 */
final class Sites {
    private static final class Met {
        final ClassInfo info;
        final boolean leaves;
        final Met next;

        Met(ClassInfo info, boolean leaves, Met next) {
            this.info = info;
            this.leaves = leaves;
            this.next = next;
        }
    }

    /** Read as it happens to be: what is not seen there is asked for again. */
    private static Met[] sites = new Met[1024];

    private Sites() {}

    /** What is known of a receiver's class if it leaves the inside here, else null. */
    static ClassInfo leaving(Object receiver, int site) {
        Class<?> type = receiver.getClass();
        Met[] all = sites;
        if (site < all.length) {
            for (Met met = all[site]; met != null; met = met.next) {
                if (met.info.isOf(type)) {
                    return met.leaves ? met.info : null;
                }
            }
        }
        ClassInfo info = ClassInfo.of(type);
        return ask(type, info, site) ? info : null;
    }

    /** What the agent has said of the fields that sites name: 0 nothing yet. */
    private static byte[] fields = new byte[1024];

    /** The stripe of the field that a site names; -1 when it is not a volatile one of the inside. */
    static int stripe(int site) {
        byte[] all = fields;
        int known = site < all.length ? all[site] : 0;
        return known != 0 ? known - 2 : askStripe(site);
    }

    private static synchronized int askStripe(int site) {
        int stripe = Native.stripe(site);
        if (site >= fields.length) {
            fields = Arrays.copyOf(fields, Math.max(site + 1, fields.length * 2));
        }
        fields[site] = (byte) (stripe + 2);
        return stripe;
    }

    private static boolean ask(Class<?> type, ClassInfo info, int site) {
        boolean leaves = info.isValue() ? Native.leavesValue(site)
            : info.refersOutside || Native.leaves(type, site);
        synchronized (Sites.class) {
            Met[] all = sites;
            if (site >= all.length) {
                all = Arrays.copyOf(all, Math.max(site + 1, all.length * 2));
            }
            all[site] = new Met(info, leaves, all[site]);
            sites = all;
        }
        return leaves;
    }
}
