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

    /** Before something is written, connected, closed, or a selector is woken. */
    static void puts() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.follows(U.getAndSetLong(null, WORD, me.word()));
        }
    }

    /** After something was read or accepted, or a selector has found something. */
    static void gets() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.follows(U.getLongVolatile(null, WORD));
        }
    }
}
