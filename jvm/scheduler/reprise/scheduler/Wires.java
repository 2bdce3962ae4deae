package reprise.scheduler;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

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
    static void connects(Object address) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.outside(false, 0);
            if (me.held == 0 && isNear(address)) {
                Stripes.enter(me, Stripes.of(Wires.class));
            }
            me.follows(U.getAndSetLong(null, WORD, me.word()));
        }
    }

    /** Whether an address is one of this machine's, so that a connection is there at once. */
    private static boolean isNear(Object address) {
        if (address instanceof InetSocketAddress) {
            InetAddress known = ((InetSocketAddress) address).getAddress();
            return known != null && known.isLoopbackAddress();
        }
        return address instanceof InetAddress && ((InetAddress) address).isLoopbackAddress();
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

    /** Before something is read or accepted, for so many milliseconds; 0 is for ever. */
    static void reads(Object object, int millis) {
        if (Outside.mayWait(object, false)) {
            awaits(1, !Outside.hasMore(object, 0), millis);
        }
    }

    /** Before something is written, in so many pieces. It goes out at once, however long that takes. */
    static void writes(Object object, int times) {
        if (times > 0 && Outside.mayWait(object, true)) {
            awaits(times, false, 0);
        }
        if (Outside.isOutside(object)) {
            puts();
        }
    }

    /** In how many pieces so many bytes are written where one thread runs at a time. */
    static int pieces(int bytes) {
        return Math.max(1, (bytes + Outside.PIECE - 1) / Outside.PIECE);
    }

    static int pieces(Object source) {
        return source instanceof ByteBuffer ? pieces(((ByteBuffer) source).remaining()) : 1;
    }

    static int pieces(Object[] sources, int from, int length) {
        int pieces = 0;
        if (sources != null && from >= 0 && length >= 0 && length <= sources.length - from) {
            for (int at = from; at < from + length; at++) {
                pieces += pieces(sources[at]);
            }
        }
        return pieces;
    }

    /** A thread may have to wait for something outside, so often, and has to if {@code waits}. */
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
