package reprise.runtime;

import java.util.Arrays;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Whether a site leaves the inside, for each class of receiver it has met.
 *
 * The agent is asked once per site and class. What is kept is the class's
 * {@link ClassInfo}, which does not keep the class alive.
 */
final class Sites {
    private static final class Met {
        final int site;
        final ClassInfo info;
        final boolean leaves;
        /** A call of a function stays, unless its method is outside for that receiver. */
        final boolean asks;
        final Met next;

        Met(int site, ClassInfo info, boolean leaves, boolean asks, Met next) {
            this.site = site;
            this.info = info;
            this.leaves = leaves;
            this.asks = asks;
            this.next = next;
        }
    }

    /** Read as it happens to be: what is not seen there is asked for again. */
    private static Met[] sites = new Met[1024];
    /** For sites with receivers of many classes: those that were met last, by site and class. */
    private static final Met[] LATEST = new Met[1 << 12];

    private Sites() {}

    /** What is known of a receiver's class if it leaves the inside here, else null. */
    @ForceInline
    static ClassInfo leaving(Object receiver, int site) {
        Class<?> type = receiver.getClass();
        Met[] all = sites;
        Met met = site < all.length ? all[site] : null;
        if (met == null || !met.info.isOf(type)) {
            met = another(type, site);
        }
        return met.leaves ? met.info : null;
    }

    /** The same for a call, whose first argument may decide if the receiver is a function. */
    @ForceInline
    static ClassInfo leaving(Object receiver, Object first, int site) {
        Class<?> type = receiver.getClass();
        Met[] all = sites;
        Met met = site < all.length ? all[site] : null;
        if (met == null || !met.info.isOf(type)) {
            met = another(type, site);
        }
        return met.leaves || met.asks && refers(receiver, first, met.info) ? met.info : null;
    }

    /**
     * Whether a function refers to a method that is outside for its receiver, which may be
     * such a function in turn, with the same arguments if it was captured; null has none.
     */
    @DontInline
    private static boolean refers(Object function, Object first, ClassInfo info) {
        boolean captured = info.isByCaptured();
        Object on = captured ? info.captured(function) : first;
        return on != null && leaving(on, captured ? first : null, info.target()) != null;
    }

    @DontInline
    private static Met another(Class<?> type, int site) {
        int at = System.identityHashCode(type) + site * 0x9E3779B1 >>> 20 & LATEST.length - 1;
        Met met = LATEST[at];
        if (met == null || met.site != site || !met.info.isOf(type)) {
            met = find(type, site);
            LATEST[at] = met;
        }
        return met;
    }

    private static Met find(Class<?> type, int site) {
        Met[] all = sites;
        for (Met met = site < all.length ? all[site] : null; met != null; met = met.next) {
            if (met.info.isOf(type)) {
                return met;
            }
        }
        return ask(type, ClassInfo.of(type), site);
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

    private static Met ask(Class<?> type, ClassInfo info, int site) {
        // Of a function that decides something itself, only its own method counts, and not what it
        // inherits from an interface.
        boolean own = (info.isForeign || info.target() != 0) && Native.declares(type, site);
        boolean leaves = info.isValue() ? Native.leavesValue(site)
            : info.refersOutside || own && info.isForeign || Native.leaves(type, site);
        boolean asks = !leaves && own && info.target() != 0;
        synchronized (Sites.class) {
            Met[] all = sites;
            if (site >= all.length) {
                all = Arrays.copyOf(all, Math.max(site + 1, all.length * 2));
            }
            Met met = new Met(site, info, leaves, asks, all[site]);
            all[site] = met;
            sites = all;
            return met;
        }
    }
}
