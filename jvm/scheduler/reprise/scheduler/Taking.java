package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * How a thread takes an element that another one has.
 *
 * It locks the element, so that nobody else takes it, and waits until it is sure that the other
 * one has seen that. Mostly the other one says so: it wants to access the element again, finds
 * it locked, and agrees; or it waits for an element itself, and looks again before it goes on.
 * If it does neither, a memory barrier of all threads makes sure of it, which costs as much as
 * thousands of accesses; then the other one may still be at the element, but only until its
 * access is done.
 *
 * Where threads take elements from each other all the time, they would do nothing else. So who
 * has taken one keeps it for a moment, unless it has to wait for another one: then two threads
 * that need the same elements do not end up with some of them each.
 *
 * An element that was taken by a barrier for a few accesses only is a common one from then on:
 * at each access its thread makes sure by itself, which costs some nanoseconds, that who takes
 * it sees that. It is no more when threads want it at the same time or have it for long.
 */
final class Taking {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What stands above the number of the thread that has an element. */
    private static final int LOCKED = 1 << 31;
    private static final int AGREED = 1 << 30;
    private static final int COMMON = 1 << 29;
    /** How long an element is kept, in nanoseconds. */
    private static final long KEPT = 10_000;
    /** How often a thread looks whether another agrees, before it makes sure by itself. */
    private static final int LOOKS = 100;
    private static final int LOOKS_COMMON = 10;
    /** Fewer accesses than that do not make up for a barrier. */
    private static final int FEW = 500;

    private Taking() {}

    /**
     * Takes an element, at which the thread then is; false if it is not to be had. The thread
     * has said that it is at it already.
     */
    static boolean take(FreeThread me, Share.Vector vector) {
        if (isMine(vector, me.number | COMMON)) {
            return true;
        }
        me.isOutside();
        me.waits = true;
        boolean taken = await(me, vector);
        me.waits = false;
        return taken;
    }

    /** Whether the owner, who has said that it is at an element, has it as all others see it. */
    private static boolean isMine(Share.Vector vector, int owner) {
        if (U.getInt(vector.owner) != owner) {
            return false;
        }
        U.fullFence();
        return U.getInt(vector.owner) == owner;
    }

    private static boolean await(FreeThread me, Share.Vector vector) {
        Patience patience = new Patience();
        for (;;) {
            int owner = U.getIntVolatile(null, vector.owner);
            int number = owner & ~(LOCKED | AGREED | COMMON);
            if (owner >= 0 && number == me.number) {
                // Who had locked it has given up.
                me.waits = false;
                me.inside = vector.owner;
                if (isMine(vector, owner)) {
                    return true;
                }
                me.isOutside();
                me.waits = true;
            } else if (owner >= 0) {
                if (!isKept(vector, owner)
                        && U.compareAndSetInt(null, vector.owner, owner, owner | LOCKED)) {
                    return replace(me, vector, owner);
                }
            } else if (number == me.number && (owner & AGREED) == 0) {
                U.compareAndSetInt(null, vector.owner, owner, owner | AGREED);
            }
            if (!patience.lasts()) {
                me.lost++;
                return false;
            }
        }
    }

    /** Whether an element is not to be taken yet. */
    private static boolean isKept(Share.Vector vector, int owner) {
        if ((owner & COMMON) != 0) {
            return false;
        }
        FreeThread other = FreeTable.numbered(owner);
        return other != null && !other.waits && !other.exited
                && System.nanoTime() - vector.taken < KEPT;
    }

    /** Takes an element that was locked; the owner is as it was before. */
    private static boolean replace(FreeThread me, Share.Vector vector, int owner) {
        boolean common = (owner & COMMON) != 0;
        FreeThread other = owner == 0 ? null : FreeTable.numbered(owner & ~COMMON);
        if (other != null && agrees(other, vector, owner)) {
            common = false;
        } else if (other != null) {
            if (Share.ONE_SIDED && !common) {
                Native.barrier();
            }
            if (!awaitOutside(other, vector.owner)) {
                U.putIntRelease(null, vector.owner, owner);
                me.lost++;
                return false;
            }
            common = vector.count() < FEW;
        }
        vector.begin(me.number);
        vector.taken = System.nanoTime();
        // First this, then all else: who sees it waiting relies on its looking again.
        me.waits = false;
        me.inside = vector.owner;
        U.putIntVolatile(null, vector.owner, me.number | (common ? COMMON : 0));
        return true;
    }

    /** Whether the one that has a locked element agrees, or cannot be at it. */
    private static boolean agrees(FreeThread other, Share.Vector vector, int owner) {
        int looks = (owner & COMMON) != 0 ? LOOKS_COMMON : LOOKS;
        for (int look = 0; look < looks && !other.exited; look++) {
            if (other.waits
                    || U.getIntVolatile(null, vector.owner) == (owner | LOCKED | AGREED)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Waits until a thread is no more at an element; false if that takes too long. */
    private static boolean awaitOutside(FreeThread other, long element) {
        Patience patience = new Patience();
        while (other.isAt(element)) {
            if (!patience.lasts()) {
                return false;
            }
        }
        return true;
    }
}
