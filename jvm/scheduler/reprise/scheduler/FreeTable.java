package reprise.scheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import jdk.internal.misc.Unsafe;

/** All threads that run freely: found by themselves, which is done at every step, and by number. */
final class FreeTable {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    private static final int MASK = 4095;
    /** There is room for no more in the words by which they are known. */
    private static final int MOST = (1 << 20) - 1;

    private static final FreeThread[] FAST = new FreeThread[MASK + 1];
    /** The same, without those who load a class, in which they are nobody for themselves. */
    private static final FreeThread[] OWN = new FreeThread[MASK + 1];
    private static final Map<Long, FreeThread> ALL = new HashMap<>();
    private static volatile FreeThread[] numbered = new FreeThread[64];
    private static int count;

    private FreeTable() {}

    /** Adds a thread; null if there have been too many. */
    static FreeThread add(Thread thread, String descent) {
        synchronized (ALL) {
            if (count >= MOST) {
                return null;
            }
            FreeThread added = new FreeThread(thread, ++count, descent);
            number(added);
            if (Share.on) {
                // What it does is in the vectors.
                added.full = true;
                Native.report("thread", added.number + " " + descent);
            }
            ALL.put(added.tid, added);
            FAST[(int) added.tid & MASK] = added;
            OWN[(int) added.tid & MASK] = added;
            return added;
        }
    }

    private static void number(FreeThread added) {
        FreeThread[] all = numbered;
        if (added.number >= all.length) {
            all = Arrays.copyOf(all, 2 * added.number);
        }
        all[added.number] = added;
        numbered = all;
    }

    /** The thread with a number; null if there is none. */
    static FreeThread numbered(int number) {
        FreeThread[] all = numbered;
        return number < all.length ? all[number] : null;
    }

    static FreeThread of(Thread thread) {
        long tid = tid(thread);
        FreeThread found = FAST[(int) tid & MASK];
        return found != null && found.tid == tid ? found : find(tid);
    }

    private static FreeThread find(long tid) {
        synchronized (ALL) {
            return ALL.get(tid);
        }
    }

    /** The calling thread; null if what it does is not recorded. */
    static FreeThread own(Thread thread) {
        long tid = tid(thread);
        FreeThread found = OWN[(int) tid & MASK];
        return found != null && found.tid == tid ? found : findOwn(tid);
    }

    private static FreeThread findOwn(long tid) {
        FreeThread found = find(tid);
        return found == null || found.loading > 0 ? null : found;
    }

    /** What a thread does is not recorded until it is shown. */
    static void hide(FreeThread thread) {
        synchronized (ALL) {
            if (OWN[(int) thread.tid & MASK] == thread) {
                OWN[(int) thread.tid & MASK] = null;
            }
        }
    }

    static void show(FreeThread thread) {
        synchronized (ALL) {
            OWN[(int) thread.tid & MASK] = thread;
        }
    }

    /** A thread that is not recorded after all. */
    static void forget(FreeThread thread) {
        synchronized (ALL) {
            ALL.remove(thread.tid);
            FAST[(int) thread.tid & MASK] = null;
            OWN[(int) thread.tid & MASK] = null;
        }
    }

    /** From now on a thread speaks for another; for itself if that is null. */
    static void alias(Thread thread, FreeThread other) {
        synchronized (ALL) {
            if (other == null) {
                ALL.remove(tid(thread));
            } else {
                ALL.put(tid(thread), other);
            }
        }
    }

    /** The number that the JVM has given a thread: a program may have another idea of getId(). */
    static long tid(Thread thread) {
        return U.getLong(thread, TID);
    }

    /** Gives a thread that has just been created another number. */
    static void number(Thread thread, long tid) {
        U.putLong(thread, TID, tid);
    }

    /** Whether a monitor is one of ours: who has it leaves it at once. */
    static boolean isOwn(Object monitor) {
        return monitor == ALL || monitor == Selecting.TABLE;
    }

    /** How many orders are not written down, of all threads. */
    static int lost() {
        synchronized (ALL) {
            int all = 0;
            for (FreeThread thread : ALL.values()) {
                all += thread.lost;
            }
            return all;
        }
    }

    /** A thread tells those that it comes after up to where. */
    static void tellFollowed(FreeThread thread) {
        synchronized (ALL) {
            thread.tellFollowed();
        }
    }

    /** All of them do. */
    static void tellAllFollowed() {
        for (FreeThread thread : numbered) {
            if (thread != null) {
                tellFollowed(thread);
            }
        }
    }

    /** Whether somebody comes after the last step of another thread that runs. */
    static boolean isAnyAwaited(FreeThread me) {
        for (FreeThread thread : numbered) {
            if (thread != null && thread != me && thread.isAwaited()) {
                return true;
            }
        }
        return false;
    }
}
