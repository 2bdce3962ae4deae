package reprise.scheduler;

/** What the program and the JDK call around the life and the interrupts of threads. */
public final class Threads {
    private Threads() {}

    /** At the end of every constructor of Thread. */
    public static void created(Thread thread) {
        if (Free.on) {
            FreeThreads.created(thread);
            return;
        }
        Life.created(thread);
    }

    /** Before a thread is started. */
    public static void starting(Thread thread) {
        if (Free.on) {
            FreeThreads.starting(thread);
            return;
        }
        Life.starting(thread);
    }

    /** Before the JVM is told of an interrupt. */
    public static void interrupting(Thread thread) {
        if (Free.on) {
            FreeThreads.interrupting(thread);
            return;
        }
        Engine.interrupting(thread);
    }

    /** When the last method of a thread has ended. */
    public static void exiting(Thread thread) {
        if (Free.on) {
            FreeThreads.exiting(thread);
            return;
        }
        Turn me = Engine.mine();
        if (me != null && me.thread == thread) {
            me.exiting = true;
        }
    }

    /** The first thing that a virtual thread does. */
    public static void begun() {
        Scheduler.begun();
    }

    /** When a virtual thread is over: the thread that carried it does the rest in its place. */
    public static void terminates(Thread thread) {
        if (Free.on) {
            FreeThreads.terminates(thread);
            return;
        }
        Turn turn = Engine.running;
        if (turn != null && turn.thread == thread) {
            turn.exiting = true;
            turn.proxy = Thread.currentThread();
        }
    }

    /** When that is done. */
    public static void terminated(Thread thread) {
        if (Free.on) {
            FreeThreads.terminated(thread);
            return;
        }
        Turn turn = Engine.running;
        if (turn != null && turn.proxy == Thread.currentThread()) {
            Scheduler.ended();
        }
    }

    /** Before a task of a pool is computed, or a part of one. */
    public static void begins() {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.begins();
            }
            return;
        }
        At.before(Script.TASK);
    }

    /** When nobody has caught what a thread has thrown. */
    public static void uncaught(Thread thread, Throwable thrown) {
        if (Free.on) {
            FreeThreads.uncaught(thread, thrown);
            return;
        }
        Turn turn = Engine.of(thread);
        if (turn != null && turn.number == 0) {
            Serving.mainFailed();
        }
        if (turn != null && thread.getUncaughtExceptionHandler() == thread.getThreadGroup()
                && Thread.getDefaultUncaughtExceptionHandler() == null) {
            if (Engine.mine() == turn) {
                Engine.policy.failed();
            }
            Ending.report("uncaught", turn.number + " " + thrown.getClass().getName() + " "
                    + Ending.place(thrown.getStackTrace()));
        }
    }

    public static boolean isInterrupted(Thread thread) {
        if (Engine.mine() != null) {
            Turn turn = Engine.of(thread);
            if (turn != null && turn.thread != Thread.currentThread() && turn.flag) {
                return true;
            }
        }
        return thread.isInterrupted();
    }

    public static void sleep(long millis) throws InterruptedException {
        if (Free.on) {
            FreeThreads.sleeps(millis, 0);
        } else if (Engine.mine() == null) {
            Thread.sleep(millis);
        } else {
            sleeps(millis, 0);
        }
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        if (Free.on) {
            FreeThreads.sleeps(millis, nanos);
        } else if (Engine.mine() == null) {
            Thread.sleep(millis, nanos);
        } else {
            sleeps(millis, nanos);
        }
    }

    public static void sleep(java.time.Duration time) throws InterruptedException {
        sleep(Math.max(0, time.toMillis()));
    }

    private static void sleeps(long millis, int nanos) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999_999) {
            throw new IllegalArgumentException(
                    millis < 0 ? "timeout value is negative" : "nanosecond timeout value out of range");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Turn me = Engine.mine();
        me.throwing = false;
        Engine.block(me, Turn.SLEEPING, null, Clock.in(millis, nanos));
        if (me.throwing) {
            me.throwing = false;
            throw new InterruptedException();
        }
    }

    public static void exit(int status) {
        if (Serving.active && Engine.mine() != null) {
            Serving.end(status);
            Engine.stay();
        }
        System.exit(status);
    }

    public static void exit(Runtime runtime, int status) {
        exit(status);
    }

    public static void halt(Runtime runtime, int status) {
        if (Serving.active && Engine.mine() != null) {
            exit(status);
        }
        runtime.halt(status);
    }

    public static void addShutdownHook(Runtime runtime, Thread hook) {
        if (Serving.active) {
            Serving.unfit("it has a shutdown hook");
        }
        runtime.addShutdownHook(hook);
    }

    public static void yield() {
        Turn me = Engine.mine();
        if (me == null) {
            Thread.yield();
        } else {
            Engine.policy.yields(me);
        }
    }
}
