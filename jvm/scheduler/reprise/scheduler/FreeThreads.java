package reprise.scheduler;

import jdk.internal.vm.annotation.DontInline;

/** What the program and the JDK do with threads that run freely: they start, block and wake. */
final class FreeThreads {
    private FreeThreads() {}

    @DontInline
    static void created(Thread thread) {
        FreeThread me = FreeThread.current();
        if (me == null || FreeTable.of(thread) != null || Life.isForeign(thread)) {
            return;
        }
        Values.number(FreeTable.tid(thread));
        FreeTable.add(thread, me.descent + "." + ++me.children);
    }

    @DontInline
    static void starting(Thread thread) {
        FreeThread me = FreeThread.current();
        FreeThread other = FreeTable.of(thread);
        if (me != null && other != null) {
            other.starter = me.word();
        }
    }

    /** The first thing that a thread does. */
    @DontInline
    static void begun() {
        FreeThread me = FreeThread.current();
        // Main has begun before anybody could say so.
        if (me == null || me.number == 1) {
            return;
        }
        if (me.starter == 0) {
            // Started by the JVM, as what runs at its end is: no thread of the program.
            FreeTable.forget(me);
            return;
        }
        if (Share.on) {
            return;
        }
        Chance.begun(me.descent);
        me.follows(me.starter);
        Stripes.enter(me, Stripes.POOLS);
    }

    /** The last. */
    @DontInline
    static void exiting(Thread thread) {
        FreeThread me = FreeThread.current();
        if (me != null && thread == Thread.currentThread()) {
            me.leave();
            me.exits();
        }
    }

    /** A virtual thread is over, and the calling thread, which has carried it, says so to others. */
    static void terminates(Thread thread) {
        FreeThread other = FreeTable.of(thread);
        if (other != null && other.starter != 0) {
            FreeTable.alias(Thread.currentThread(), other);
        }
    }

    static void terminated(Thread thread) {
        FreeThread me = FreeThread.current();
        if (me != null && me == FreeTable.of(thread)) {
            me.leave();
            me.exits();
            FreeTable.alias(Thread.currentThread(), null);
        }
    }

    @DontInline
    static void interrupting(Thread thread) {
        FreeThread me = FreeThread.current();
        FreeThread other = FreeTable.of(thread);
        if (me != null && other != null && other != me) {
            me.follows(other.tell(me.word(), false));
        }
    }

    static void uncaught(Thread thread, Throwable thrown) {
        FreeThread turn = FreeTable.of(thread);
        if (turn != null && thread.getUncaughtExceptionHandler() == thread.getThreadGroup()
                && Thread.getDefaultUncaughtExceptionHandler() == null) {
            Native.report("uncaught", turn.descent + " " + thrown.getClass().getName() + " "
                    + Ending.place(thrown.getStackTrace()));
        }
    }

    /**
     * The JVM ends. If nobody of the program has wanted that, as when somebody kills it, and
     * all its threads wait for one another without a limit, that is why.
     */
    static void ends() {
        if (FreeThread.current() != null) {
            return;
        }
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        Thread[] all = new Thread[2 * top.activeCount() + 16];
        int count = top.enumerate(all);
        boolean any = false;
        for (int at = 0; at < count; at++) {
            Thread.State state = all[at].getState();
            if (FreeTable.of(all[at]) == null) {
                continue;
            }
            if (state != Thread.State.BLOCKED && state != Thread.State.WAITING) {
                return;
            }
            any |= !all[at].isDaemon();
        }
        if (any) {
            Native.report("deadlock", "");
        }
    }

    @DontInline
    static void sleeps(long millis, int nanos) throws InterruptedException {
        FreeThread me = FreeThread.current();
        if (me == null || me.site < 0 || Thread.currentThread().isInterrupted()) {
            if (me != null) {
                me.follows(me.told());
            }
            Thread.sleep(millis, nanos);
            return;
        }
        me.blocks(me.site);
        boolean slept = false;
        try {
            Thread.sleep(millis, nanos);
            slept = true;
        } finally {
            me.resumes(false);
            if (!slept) {
                me.follows(me.told());
            }
        }
    }

    @DontInline
    static void waits(Object monitor, long millis, int nanos) throws InterruptedException {
        FreeThread me = FreeThread.current();
        if (me != null && me.joins == monitor && me.joins != null) {
            // Who waits for the end of a thread comes after it, and need not have waited.
            monitor.wait(millis, nanos);
            return;
        }
        boolean blocks = me != null && Thread.holdsLock(monitor);
        if (!blocks || Thread.currentThread().isInterrupted()) {
            if (me != null) {
                me.follows(me.told());
            }
            monitor.wait(millis, nanos);
            return;
        }
        long stripe = me.held;
        me.blocks(me.site < 0 ? FreeThread.WAITS : me.site);
        Stripes.leaves(me, monitor);
        me.leave();
        boolean timed = millis > 0 || nanos > 0;
        long end = timed ? Clock.in(millis, nanos) : 0;
        boolean woken = false;
        try {
            monitor.wait(millis, nanos);
            woken = true;
        } finally {
            me.resumes(woken && timed && end - System.nanoTime() <= 0);
            if (!woken) {
                me.follows(me.told());
            }
            Stripes.returned(me, monitor);
            me.goesOn(stripe);
        }
    }

    /** Who waits there comes after: code of the JDK says nothing when it leaves a monitor. */
    @DontInline
    static void notifies(Object monitor) {
        FreeThread me = FreeThread.current();
        if (me != null && Thread.holdsLock(monitor)) {
            Stripes.leaves(me, monitor);
        }
    }

    @DontInline
    static void parks(boolean absolute, long time) {
        FreeThread me = FreeThread.current();
        if (me == null) {
            parksUnseen(absolute, time);
            return;
        }
        if (time < 0 || absolute && time == 0 || Thread.currentThread().isInterrupted()) {
            me.follows(me.told());
            Really.park(absolute, time);
            return;
        }
        // Who waits for something outside may park for that, as in a queue of references on Java 21:
        // it is one wait.
        boolean forAMoment = me.waitsOutside() || Locks.isForAMoment(me);
        if (!me.parks(forAMoment ? 0 : me.word() + 1)) {
            return;
        }
        if (forAMoment) {
            awaitsPermit(me, absolute, time);
            return;
        }
        long stripe = me.held;
        me.blocks(me.site < 0 ? FreeThread.PARKS : me.site);
        Values.parks(me);
        me.leave();
        boolean late = awaitsPermit(me, absolute, time);
        me.resumes(late);
        if (!late) {
            me.follows(me.told());
        }
        me.goesOn(stripe);
    }

    /**
     * A thread parks that is not recorded. One of the program's may be, while it loads a class: who
     * unparks it does not know that, and what it was told is over then, as what the JVM was.
     */
    private static void parksUnseen(boolean absolute, long time) {
        FreeThread loading = FreeTable.of(Thread.currentThread());
        if (loading == null || !loading.takesPermit()) {
            Really.park(absolute, time);
            if (loading != null) {
                loading.takesPermit();
            }
        }
    }

    /** Parks until somebody has unparked the thread, or interrupted it; true if its time ran out. */
    private static boolean awaitsPermit(FreeThread me, boolean absolute, long time) {
        long end = 0;
        if (absolute) {
            end = Clock.in(Math.max(0, time - System.currentTimeMillis()), 0);
        } else if (time > 0) {
            end = Clock.in(0, time);
        }
        boolean late = false;
        // With no permit taken a thread wakes for no reason, and parks again.
        while (!me.takesPermit() && !Thread.currentThread().isInterrupted() && !late) {
            if (end == 0) {
                Really.park(false, 0L);
            } else {
                long left = end - System.nanoTime();
                late = left <= 0;
                if (!late) {
                    Really.park(false, left);
                }
            }
        }
        return late;
    }

    /** Code of the JDK needs a monitor that another thread has. */
    @DontInline
    static void contends(Object monitor) {
        if (FreeTable.isOwn(monitor)) {
            return;
        }
        FreeThread me = FreeThread.current();
        if (me == null || me.held == 0) {
            return;
        }
        long stripe = me.held;
        if (isKept(monitor, stripe)) {
            awaits(me, monitor, stripe);
            return;
        }
        // The owner will leave it in a moment, and in a replay has left it: what this one does
        // comes later, and in a replay only begins then.
        me.contends = stripe;
        if (me.continues) {
            me.leave();
        } else {
            Stripes.withdraw(me);
        }
    }

    /**
     * Whether the owner of a monitor has called the program back from the same object that the
     * calling thread is about, as a map does while it has one of its bins.
     */
    private static boolean isKept(Object monitor, long stripe) {
        // Others, as those by which classes are loaded, are only held for as long as that takes.
        boolean collects = monitor.getClass().getName().startsWith("java.util.");
        Thread owner = collects && Suspended.isAny(stripe) ? Native.owner(monitor) : null;
        FreeThread thread = owner == null ? null : FreeTable.of(owner);
        return thread != null && thread.suspended.has(stripe);
    }

    /**
     * What the calling thread has done so far comes before the owner goes on, and in a replay it
     * blocks here, too. It takes the monitor only when it has the stripe: otherwise others who
     * have that would find the monitor taken, by somebody who in a replay is not there yet.
     */
    private static void awaits(FreeThread me, Object monitor, long stripe) {
        me.contends();
        me.leave();
        for (long pause = 1_000; ; pause = Math.min(2 * pause, 1_000_000)) {
            Native.pause(pause);
            me.goesOn(stripe);
            if (me.held == 0 || !isKept(monitor, stripe)) {
                me.resumes(false);
                return;
            }
            // It has not been there: who comes next follows who was there before.
            Stripes.withdraw(me);
        }
    }

    /** It has got it. */
    @DontInline
    static void obtains(Object monitor) {
        if (FreeTable.isOwn(monitor)) {
            return;
        }
        FreeThread me = FreeThread.current();
        if (me != null && me.contends != 0) {
            long stripe = me.contends;
            me.contends = 0;
            me.goesOn(stripe);
        }
    }

    @DontInline
    static void unparks(Object thread) {
        FreeThread me = FreeThread.current();
        FreeThread other = thread instanceof Thread ? FreeTable.of((Thread) thread) : null;
        if (other != null) {
            long before = other.tell(me == null ? 0 : me.word(), true);
            if (me != null) {
                me.follows(before);
            }
        }
        Really.unpark(thread);
    }
}
