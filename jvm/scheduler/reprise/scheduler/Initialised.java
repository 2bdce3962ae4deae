package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * Which thread has initialised a class, where threads run freely. Who needs the class later
 * does not show that, and in a replay would initialise it itself if it came first. So whatever a
 * thread does between two places comes after all that was initialised until the second.
 */
final class Initialised {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long WORD = U.allocateMemory(8);

    /** How many times anything was. */
    static volatile int count;
    /** A count of which every thread notices that it is another one. */
    private static final int MOST = Integer.MAX_VALUE;

    static {
        U.putLong(WORD, 0L);
    }

    private Initialised() {}

    /** The thread has initialised something, and is in no other initialiser. */
    static void by(FreeThread me) {
        me.shouldFollow(U.getAndSetLong(null, WORD, me.word()));
        me.initialised = ++count;
    }

    /** Every thread is to notice something at its next place. */
    static void notice() {
        count = MOST;
    }

    /** The thread notices that another one has. */
    static void notice(FreeThread me, int now) {
        me.initialised = now;
        me.shouldFollow(U.getLongVolatile(null, WORD));
    }
}
