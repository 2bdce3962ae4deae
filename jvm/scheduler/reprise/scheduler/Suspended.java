package reprise.scheduler;

import java.util.Arrays;

/** The stripes that a thread has given up for as long as the JDK calls the program back. */
final class Suspended {
    /** By stripe: how many threads have given it up. Changed only by who has the stripe. */
    private static final int[] COUNTS = new int[1 << 13];

    /** Each stripe, behind the depth at which that was. */
    private long[] stripes = new long[8];
    private int count;

    /** The thread is about to give up a stripe, which it has. */
    void add(int depth, long stripe) {
        if (2 * count == stripes.length) {
            stripes = Arrays.copyOf(stripes, 2 * stripes.length);
        }
        stripes[2 * count] = depth;
        stripes[2 * count + 1] = stripe;
        count++;
        COUNTS[index(stripe)]++;
    }

    /** The stripe that was given up last, if that was at this depth; 0 for none. */
    long of(int depth) {
        return count > 0 && stripes[2 * count - 2] == depth ? stripes[2 * count - 1] : 0;
    }

    /** The thread has it again. */
    void remove() {
        count--;
        COUNTS[index(stripes[2 * count + 1])]--;
    }

    /** All calls are over. */
    void clear() {
        while (count > 0) {
            remove();
        }
    }

    /** Whether some thread has given up a stripe that the calling one has. */
    static boolean isAny(long stripe) {
        return COUNTS[index(stripe)] > 0;
    }

    /** Whether this one has; asked by the thread that has the stripe now. */
    boolean has(long stripe) {
        long[] all = stripes;
        for (int at = 0; at < count && 2 * at + 1 < all.length; at++) {
            if (all[2 * at + 1] == stripe) {
                return true;
            }
        }
        return false;
    }

    /** Stripes are as far apart as a line of the processor's cache and the next. */
    private static int index(long stripe) {
        return (int) (stripe >>> 7) & COUNTS.length - 1;
    }
}
