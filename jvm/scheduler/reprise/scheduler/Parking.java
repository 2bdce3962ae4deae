package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/** What {@code java.util.concurrent} calls instead of the JDK's own park and unpark. */
public final class Parking {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private Parking() {}

    public static void park(Object unsafe, boolean absolute, long time) {
        if (Free.on) {
            FreeThreads.parks(absolute, time);
            return;
        }
        Turn me = Engine.mine();
        if (me == null) {
            UNSAFE.park(absolute, time);
            return;
        }
        if (me.permit) {
            me.permit = false;
            return;
        }
        if (time < 0 || absolute && time == 0 || Thread.currentThread().isInterrupted()) {
            return;
        }
        long deadline = 0;
        if (absolute) {
            deadline = Clock.in(Math.max(0, time - System.currentTimeMillis()), 0);
        } else if (time > 0) {
            deadline = Clock.in(0, time);
        }
        Engine.block(me, Turn.PARKED, null, deadline);
        me.permit = false;
    }

    public static void unpark(Object unsafe, Object thread) {
        if (Free.on) {
            FreeThreads.unparks(thread);
            return;
        }
        Turn turn = Engine.running == null || !(thread instanceof Thread)
                ? null
                : Engine.of((Thread) thread);
        if (turn == null) {
            UNSAFE.unpark(thread);
        } else {
            turn.permit = true;
            if (turn.state == Turn.PARKED) {
                Engine.ready(turn);
            } else if (turn.state == Turn.OUTSIDE) {
                // It has no turn, so what it parks in is the JDK's own.
                UNSAFE.unpark(thread);
            }
        }
    }
}
