package reprise.scheduler;

/** What the program calls instead of {@code wait}, {@code notify} and {@code notifyAll}. */
public final class Monitors {
    private Monitors() {}

    public static void wait(Object monitor) throws InterruptedException {
        if (Free.on) {
            FreeThreads.waits(monitor, 0, 0);
        } else if (Engine.mine() == null) {
            monitor.wait();
        } else {
            waitFor(monitor, 0, 0);
        }
    }

    public static void wait(Object monitor, long millis) throws InterruptedException {
        if (Free.on) {
            FreeThreads.waits(monitor, millis, 0);
        } else if (Engine.mine() == null) {
            monitor.wait(millis);
        } else {
            waitFor(monitor, millis, 0);
        }
    }

    public static void wait(Object monitor, long millis, int nanos) throws InterruptedException {
        if (Free.on) {
            FreeThreads.waits(monitor, millis, nanos);
        } else if (Engine.mine() == null) {
            monitor.wait(millis, nanos);
        } else {
            waitFor(monitor, millis, nanos);
        }
    }

    private static void waitFor(Object monitor, long millis, int nanos)
            throws InterruptedException {
        // Arguments, then the monitor, then the flag: as the JVM checks them.
        if (millis < 0 || nanos < 0 || nanos > 999_999) {
            throw new IllegalArgumentException(
                    millis < 0 ? "timeout value is negative" : "nanosecond timeout value out of range");
        }
        if (!Thread.holdsLock(monitor)) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        Turn me = Engine.mine();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int depth = Owners.leave(monitor, me);
        me.throwing = false;
        me.enters(monitor);
        boolean timed = millis > 0 || nanos > 0;
        Engine.block(me, Turn.WAITING, monitor, timed ? Clock.in(millis, nanos) : 0);
        me.enters(null);
        Owners.enter(monitor, me, depth);
        if (me.throwing) {
            me.throwing = false;
            throw new InterruptedException();
        }
    }

    public static void notify(Object monitor) {
        if (Free.on) {
            FreeThreads.notifies(monitor);
        }
        Turn me = Engine.mine();
        if (me == null) {
            monitor.notify();
            return;
        }
        check(monitor);
        Turn chosen = Engine.policy.notified(me, monitor);
        if (chosen != null) {
            chosen.state = Turn.MONITOR;
        }
    }

    public static void notifyAll(Object monitor) {
        if (Free.on) {
            FreeThreads.notifies(monitor);
        }
        Turn me = Engine.mine();
        if (me == null) {
            monitor.notifyAll();
            return;
        }
        check(monitor);
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state == Turn.WAITING && turn.on == monitor) {
                turn.state = Turn.MONITOR;
            }
        }
    }

    private static void check(Object monitor) {
        if (!Thread.holdsLock(monitor)) {
            throw new IllegalMonitorStateException("current thread is not owner");
        }
    }
}
