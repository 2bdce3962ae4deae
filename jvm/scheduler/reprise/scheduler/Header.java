package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * Where the JVM has the identity hash of an object: in its header, which is the first word of it.
 *
 * While an object is locked that word may say something else, and the lowest bits what:
 *
 * <pre>
 * 01 the header itself; nobody has locked it, or (101) somebody has reserved it, where the JVM does that
 * 00 locked for a short time: from Java 22 on still the header, before that the address of a word on
 *    the stack of the thread that has the lock, and that is the header
 * 10 the address of a monitor: somebody has waited for the object, or in it; the first word of that is
 *    the header
 * </pre>
 *
 * All of that is found out by trying. A JVM that has it elsewhere goes without.
 */
final class Header {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long HASH = 0x7fff_ffffL;
    private static final long KIND = 3;
    private static final long LOCKED = 0;
    private static final long FREE = 1;
    private static final long MONITOR = 2;
    /** The lowest bits in JVMs with biased locking, if nobody has used that for the object. */
    private static final long BIASED = 5;
    private static final long AGE = 0x78;

    /** Where the hash begins in a header; 0 if that is not known. */
    private static int shift;
    /** Whether the header of an object that is locked stays where it was. */
    private static boolean stays;
    /** Whether it is where an object that is locked, or its monitor, says. */
    private static boolean onStack;
    private static boolean inMonitor;

    private Header() {}

    /** Looks at the JVM. */
    static void prepare() {
        Object known = new Object();
        int hash = System.identityHashCode(known);
        long header = U.getLong(known, 0L);
        for (int at = 8; at < 32 && shift == 0; at++) {
            if ((header >>> at & HASH) == hash && (header & 7) == FREE) {
                shift = at;
            }
        }
        if (shift != 0 && !takes(new Object(), 0x1234_5678)) {
            shift = 0;
        }
        if (shift != 0) {
            locked();
            waited();
        }
    }

    /** Whether an object has that hash when it was given it. */
    private static boolean takes(Object object, int hash) {
        return give(object, hash) && System.identityHashCode(object) == hash;
    }

    private static void locked() {
        Object tried = new Object();
        long before = U.getLong(tried, 0L);
        synchronized (tried) {
            long now = U.getLong(tried, 0L);
            if ((now & KIND) == LOCKED) {
                // The collector may have been there in between, and counts that.
                stays = (before & ~(KIND | AGE)) == (now & ~AGE);
                onStack = !stays && isHeader(U.getLong(now), before);
            }
            if ((stays || onStack) && !takes(tried, 0x1235_7531)) {
                stays = false;
                onStack = false;
            }
        }
    }

    private static void waited() {
        Object tried = new Object();
        long before = U.getLong(tried, 0L);
        synchronized (tried) {
            try {
                // It has a monitor from then on, at least as long as it is locked.
                tried.wait(0L, 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            long now = U.getLong(tried, 0L);
            if ((now & KIND) == MONITOR) {
                inMonitor = isHeader(U.getLong(now ^ MONITOR), before);
                inMonitor = inMonitor && takes(tried, 0x1357_9753);
            }
        }
    }

    private static boolean isHeader(long word, long before) {
        return (word & ~AGE) == (before & ~AGE);
    }

    /** Whether an object has no hash, and can be given one. */
    static boolean hasRoom(Object object) {
        return put(object, 0);
    }

    /** Gives an object a hash; false if it has one, or it cannot be given. */
    static boolean give(Object object, int hash) {
        return put(object, hash);
    }

    /** Puts a hash into a header, with 0 only whether that could be done. */
    private static boolean put(Object object, int hash) {
        if (shift == 0) {
            return false;
        }
        long word = U.getLongVolatile(object, 0L);
        switch ((int) (word & KIND)) {
            case (int) FREE:
                return putAt(object, 0L, word, hash);
            case (int) LOCKED:
                if (stays) {
                    return putAt(object, 0L, word, hash);
                }
                // 0 is on its way to a monitor.
                return onStack && word != 0 && staysLocked(object)
                        && U.getLongVolatile(object, 0L) == word
                        && putAt(null, word, U.getLong(word), hash);
            case (int) MONITOR:
                return inMonitor && hasRoom(U.getLong(word ^ MONITOR)) && putInMonitor(object, hash);
            default:
                return false;
        }
    }

    /**
     * Whether nobody leaves the lock of an object meanwhile: the calling thread has it, or one that waits for
     * its turn.
     */
    private static boolean staysLocked(Object object) {
        if (Thread.holdsLock(object)) {
            return true;
        }
        Thread owner = Native.owner(object);
        Turn turn = owner == null || Engine.mine() == null ? null : Engine.of(owner);
        return turn != null && turn.state != Turn.OUTSIDE;
    }

    /** The same, where an object has a monitor, which the JVM takes away from one that is not locked. */
    private static boolean putInMonitor(Object object, int hash) {
        if (!staysLocked(object)) {
            if (Native.owner(object) != null) {
                return false;
            }
            synchronized (object) {
                return put(object, hash);
            }
        }
        long monitor = U.getLongVolatile(object, 0L) ^ MONITOR;
        return (monitor & KIND) == 0 && putAt(null, monitor, U.getLong(monitor), hash);
    }

    private static boolean putAt(Object object, long at, long header, int hash) {
        boolean room = hasRoom(header);
        if (!room || hash == 0) {
            return room;
        }
        long rest = (header & 7) == BIASED ? header & AGE | FREE : header;
        return U.compareAndSetLong(object, at, header, rest | (hash & HASH) << shift);
    }

    private static boolean hasRoom(long header) {
        return (header & 7) == BIASED
                ? shift == 8 && header >>> 10 == 0
                : (header >>> shift & HASH) == 0;
    }
}
