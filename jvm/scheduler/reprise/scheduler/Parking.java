package reprise.scheduler;

import jdk.internal.vm.annotation.DontInline;

/** What {@code java.util.concurrent} calls instead of the JDK's own park and unpark. */
public final class Parking {
    private Parking() {}

    public static void park(Object unsafe, boolean absolute, long time) {
        if (Free.on) {
            FreeThreads.parks(absolute, time);
        } else {
            parksInTurn(absolute, time);
        }
    }

    /** Who runs freely never comes here; it would only be compiled with all that parks. */
    @DontInline
    private static void parksInTurn(boolean absolute, long time) {
        Turn me = Engine.mine();
        if (me == null || me.looksOutside) {
            Really.park(absolute, time);
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

    /** Of a virtual thread. */
    public static void parkVirtual() {
        park(null, false, 0);
    }

    public static void parkVirtual(Object access) {
        park(null, false, 0);
    }

    public static void parkVirtual(long nanos) {
        if (nanos > 0) {
            park(null, false, nanos);
        }
    }

    public static void parkVirtual(Object access, long nanos) {
        parkVirtual(nanos);
    }

    public static void parkVirtualUntil(long millis) {
        park(null, true, millis);
    }

    public static void unparkVirtual(Thread thread) {
        unpark(null, thread);
    }

    public static void unpark(Object unsafe, Object thread) {
        if (Free.on) {
            FreeThreads.unparks(thread);
        } else {
            unparksInTurn(thread);
        }
    }

    @DontInline
    private static void unparksInTurn(Object thread) {
        Turn turn = Engine.running == null || !(thread instanceof Thread)
                ? null
                : Engine.of((Thread) thread);
        if (turn == null || turn.looksOutside) {
            Really.unpark(thread);
        } else {
            turn.permit = true;
            if (turn.state == Turn.PARKED) {
                Engine.ready(turn);
            } else if (turn.state == Turn.OUTSIDE) {
                // It has no turn, so what it parks in is the JDK's own.
                Really.unpark(thread);
            }
        }
    }
}
