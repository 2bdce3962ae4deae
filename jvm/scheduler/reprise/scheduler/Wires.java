package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * How threads that run freely meet outside: one writes to a connection or a pipe, another one
 * reads. Which of them have the two ends is not asked: who gets something from outside comes
 * after all that any thread has put there until then.
 */
final class Wires {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long WORD = U.allocateMemory(8);

    static {
        U.putLong(WORD, 0L);
    }

    private Wires() {}

    /**
     * Before a connection is made. A server has connections in the order in which they were made,
     * so to a near one no two are made at once.
     */
    static void connects(boolean near) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            if (near && me.held == 0) {
                Stripes.enter(me, Stripes.of(Wires.class));
            }
            me.follows(U.getAndSetLong(null, WORD, me.word()));
        }
    }

    /** After that. */
    static void connected() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
        }
    }

    /** Before something is written or closed, or a selector is woken. */
    static void puts() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.follows(U.getAndSetLong(null, WORD, me.word()));
        }
    }

    /** Before something is read, accepted or written, so often; and whether that is not possible yet. */
    static void awaits(int times, boolean waits, int millis) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            for (int time = 1; time < times; time++) {
                me.outside(false, 0);
            }
            me.outside(waits, millis);
        }
    }

    /** After something was read or accepted, or a selector has found something. */
    static void gets(boolean threw) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.returns(threw);
            follow(me);
        }
    }

    /** A thread comes after all that was put there. */
    static void follow(FreeThread me) {
        me.follows(U.getLongVolatile(null, WORD));
    }
}
