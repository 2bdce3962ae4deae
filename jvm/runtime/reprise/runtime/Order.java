package reprise.runtime;

import java.util.Arrays;

/**
 * The order in which threads enter monitors, and use volatile fields and elements of arrays.
 *
 * A word says who was last at a stripe of monitors or fields. Every thread
 * counts its own entrances and uses; only a change of threads is an event, and
 * it says how many the other had had by then. So a replay knows what has to
 * wait for what, although most of it leaves no event.
 *
 * What is counted has happened, and is counted before the stripe is given up:
 * so whoever comes next sees it, and nobody waits for what waits for him.
 */
final class Order {
    private static final int STRIPES = 64;
    /** Words of their own cache lines, in bytes: one of a stripe's is who was last. */
    private static final long APART = 128;
    /** The other is its lock. */
    private static final long LOCK = 64;
    /** Outside the heap: what Unsafe says of arrays has other types on other releases. */
    private static final long WORDS = words();
    private static final int SPINS = 100;
    /** A thread that dies within an access must not hold up all others for ever. */
    private static final long PATIENCE = 1_000_000_000L;

    /** How many a thread has had; kept when the thread is gone. */
    static final class Count {
        long had;
    }

    private static volatile Count[] counts = new Count[64];

    private Order() {}

    /** Fields have the first stripes, monitors the next, arrays the last. */
    private static long words() {
        long bytes = (3 * STRIPES + 1) * APART;
        long words = Ring.U.allocateMemory(bytes);
        Ring.U.setMemory(words, bytes, (byte) 0);
        return words + APART - words % APART;
    }

    private static long place(int stripe) {
        return WORDS + APART * stripe;
    }

    /** Where a thread counts. */
    static synchronized Count count(int thread) {
        if (thread >= counts.length) {
            counts = Arrays.copyOf(counts, Math.max(thread + 1, counts.length * 2));
        }
        return counts[thread] = new Count();
    }

    /** The stripe of a monitor; those of classes have no object. */
    static int ofMonitor(Object monitor) {
        int number = monitor == null ? 0 : ClassInfo.of(monitor.getClass()).number;
        return STRIPES + (number & STRIPES - 1);
    }

    /** The stripe of an array, whose elements have no names. */
    static int ofArray(Object array) {
        return 2 * STRIPES + (System.identityHashCode(array) & STRIPES - 1);
    }

    /** A monitor was entered, and is held. */
    static void entered(Recorder r, int stripe) {
        begin(r, stripe);
        end(r, stripe);
    }

    /** Waits for the turn at a stripe. */
    static void begin(Recorder r, int stripe) {
        lock(r, stripe);
        follow(r, stripe);
    }

    /** Keeps others from a stripe. */
    static void lock(Recorder r, int stripe) {
        // Not while others wait: the drainer may be slow.
        r.makeRoom();
        lock(r.thread, stripe);
    }

    static void lock(int thread, int stripe) {
        long lock = place(stripe) + LOCK;
        if (!Ring.U.compareAndSetInt(null, lock, 0, thread)) {
            await(lock, thread);
        }
    }

    /** Says who was last at a stripe that is locked, if it was another; whether it was. */
    static boolean follow(Recorder r, int stripe) {
        long place = place(stripe);
        int last = Ring.U.getInt(place);
        if (stripe == r.second) {
            r.beforeSecond = last;
        } else {
            r.before = last;
        }
        if (last == r.thread) {
            return false;
        }
        if (last != 0) {
            r.follows(last, counts[last].had);
        }
        Ring.U.putInt(place, r.thread);
        return last != 0;
    }

    private static void await(long lock, int me) {
        long since = 0;
        for (int tries = 0; !Ring.U.compareAndSetInt(null, lock, 0, me); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
                continue;
            }
            // Whoever is there may be waiting for this processor.
            Thread.yield();
            long now = System.nanoTime();
            if (since == 0) {
                since = now;
            } else if (now - since > PATIENCE) {
                Ring.U.putIntVolatile(null, lock, me);
                break;
            }
        }
    }

    /** Gives up a stripe at which nothing was said or done. */
    static void unlock(int stripe) {
        Ring.U.putIntRelease(null, place(stripe) + LOCK, 0);
    }

    /**
     * Gives up a stripe whose use has failed, and is not counted: whoever comes next follows the one
     * who was there before.
     */
    static void abandon(int stripe, int before) {
        Ring.U.putInt(place(stripe), before);
        unlock(stripe);
    }

    static void end(Recorder r, int stripe) {
        r.order.had++;
        unlock(stripe);
    }
}
