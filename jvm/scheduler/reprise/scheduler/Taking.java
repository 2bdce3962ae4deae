package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * How a thread takes an element that another one has.
 *
 * It locks the element, so that nobody else takes it, and makes sure that the other one has
 * seen that or is seen where it is: the memory barrier of all threads is on this side alone.
 * Then it waits until the other one is no more at the element, which takes a moment: it is
 * there only while it accesses it.
 *
 * Where threads take an element from each other all the time, whoever has it keeps it for a
 * while, or they would do nothing else. Who waits for another element itself keeps none.
 */
final class Taking {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int LOCKED = 1 << 31;
    /** How long a thread waits for another to be done, in nanoseconds. */
    private static final long PATIENCE = 1_000_000_000;
    /** So often within so long is all the time. */
    private static final int OFTEN = 200;
    private static final long OF_LATE = 2_000_000;
    /** How long an element is kept then, and for how long it is so. */
    private static final long WHILE = 200_000;
    private static final long CALM = 20_000_000;

    private Taking() {}

    /** Takes an element, at which the thread then is; false if it is not to be had. */
    static boolean take(FreeThread me, Share.Vector vector) {
        me.isOutside();
        me.waits = true;
        boolean taken = await(me, vector);
        me.waits = false;
        return taken;
    }

    private static boolean await(FreeThread me, Share.Vector vector) {
        long end = 0;
        for (int turn = 0;; turn++) {
            int owner = U.getIntVolatile(null, vector.owner);
            if (owner == me.number) {
                // Who had locked it has given up.
                me.inside = vector.owner;
                U.fullFence();
                if (U.getInt(vector.owner) == owner) {
                    return true;
                }
                me.isOutside();
            }
            FreeThread other = owner > 0 ? FreeThread.numbered(owner) : null;
            long left = owner > 0 ? left(vector, other) : 0;
            if (left > 0) {
                Native.pause(left);
            } else if (owner >= 0
                    && U.compareAndSetInt(null, vector.owner, owner, owner | LOCKED)) {
                return replace(me, vector, owner, other);
            } else if (turn < 200) {
                Thread.onSpinWait();
            } else {
                long now = System.nanoTime();
                if (end == 0) {
                    end = now + PATIENCE;
                } else if (now - end > 0) {
                    me.lost++;
                    return false;
                }
                Thread.yield();
            }
        }
    }

    /** How much longer whoever has it keeps it, in nanoseconds. */
    private static long left(Share.Vector vector, FreeThread other) {
        long calm = vector.calm;
        if (calm == 0 || other == null || other.waits || other.exited) {
            return 0;
        }
        long now = System.nanoTime();
        return now - calm > 0 ? 0 : WHILE - (now - vector.taken);
    }

    private static boolean replace(FreeThread me, Share.Vector vector, int owner, FreeThread other) {
        if (other != null) {
            if (Share.ONE_SIDED) {
                Native.barrier();
            }
            if (!awaitOutside(other, vector.owner)) {
                U.putIntRelease(null, vector.owner, owner);
                me.lost++;
                return false;
            }
            note(vector);
        }
        vector.begin(me.number);
        me.inside = vector.owner;
        U.putIntVolatile(null, vector.owner, me.number);
        return true;
    }

    /** Waits until a thread is no more at an element; false if that takes too long. */
    private static boolean awaitOutside(FreeThread other, long element) {
        long end = 0;
        for (int turn = 0; other.isAt(element); turn++) {
            if (turn < 200) {
                Thread.onSpinWait();
                continue;
            }
            long now = System.nanoTime();
            if (end == 0) {
                end = now + PATIENCE;
            } else if (now - end > 0) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    /** Notes that it was taken, and whether that happens all the time. */
    private static void note(Share.Vector vector) {
        long now = System.nanoTime();
        vector.taken = now;
        vector.times++;
        if (now - vector.since > OF_LATE) {
            vector.since = now;
            vector.times = 0;
        } else if (vector.times > OFTEN) {
            vector.times = 0;
            vector.calm = now + CALM;
        }
    }
}
