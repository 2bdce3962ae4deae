package reprise.scheduler;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Which thread has which monitor, as far as the program's own code tells. Only where
 * threads are chosen by a strategy: a schedule says itself who can go on.
 */
final class Owners {
    private static final class Owner {
        Turn turn;
        int depth;
        /** Where it was entered. */
        int site;
    }

    static boolean kept;
    private static final Map<Object, Owner> OWNERS = new IdentityHashMap<>();

    private Owners() {}

    static void reset() {
        OWNERS.clear();
    }

    /** The thread that has the monitor; null for none that is known. */
    static Turn of(Object monitor) {
        Owner owner = OWNERS.get(monitor);
        return owner == null ? null : owner.turn;
    }

    /** Where the thread that has the monitor has entered it. */
    static int entered(Object monitor) {
        Owner owner = OWNERS.get(monitor);
        return owner == null ? Turn.NOWHERE : owner.site;
    }

    static void enter(Object monitor, Turn me, int times) {
        if (!kept || times == 0) {
            return;
        }
        Owner owner = OWNERS.get(monitor);
        if (owner == null) {
            owner = new Owner();
            OWNERS.put(monitor, owner);
        }
        if (owner.turn != me) {
            owner.turn = me;
            owner.depth = 0;
            owner.site = me.site;
        }
        owner.depth += times;
    }

    static void exit(Object monitor, Turn me) {
        Owner owner = OWNERS.get(monitor);
        if (owner != null && owner.turn == me && --owner.depth == 0) {
            OWNERS.remove(monitor);
        }
    }

    /** Gives a monitor up for a wait. Returns how often it had been entered. */
    static int leave(Object monitor, Turn me) {
        Owner owner = OWNERS.get(monitor);
        if (owner == null || owner.turn != me) {
            return 0;
        }
        OWNERS.remove(monitor);
        return owner.depth;
    }
}
