package reprise.scheduler;

/**
 * How a thread waits for something outside: it gives its turn away, looks itself after what it
 * waits for, and takes the turn when that has come and nobody else has it. While nobody has
 * it, such threads also look after those whose time runs out.
 */
final class Leaving {
    /** Who waits looks so often whether it is wanted; in milliseconds. */
    private static final int LOOK = 10;

    private Leaving() {}

    /**
     * The calling thread is about to wait for something outside, if that has not come yet:
     * others go on meanwhile. Returns false if its time ran out.
     */
    static boolean outside(Turn me, Waiting waiting, long deadline) {
        if (!me.again) {
            Engine.policy.outside(me);
        }
        boolean inTime = true;
        while (inTime && Engine.policy.leaves(me, waiting)) {
            me.waiting = waiting;
            me.state = Turn.OUTSIDE;
            me.deadline = deadline;
            me.timedOut = false;
            Turn next = Engine.policy.blocked(me);
            if (next != me) {
                leave(me, waiting, next);
            }
            inTime = !me.timedOut;
            me.state = Turn.READY;
            me.waiting = null;
            me.deadline = 0;
            me.timedOut = false;
            if (next == me) {
                break;
            }
        }
        if (inTime && waiting.looksItself()) {
            hold(me, waiting, deadline);
        }
        return inTime;
    }

    /** Waits for what the JDK would wait for in a way that the scheduler takes for its own. */
    private static void hold(Turn me, Waiting waiting, long deadline) {
        for (long begun = System.nanoTime(); ; ) {
            long now = System.nanoTime();
            try {
                if (deadline != 0 && deadline - now <= 0 || waiting.isOver(LOOK)) {
                    return;
                }
            } catch (InterruptedException interrupted) {
                me.thread.interrupt();
                return;
            }
            if (!Engine.policy.looksOutside() && Watch.isTooLong(me, now - begun)) {
                throw Engine.policy.stopped(me, "a call" + Ending.from(me.thread.getStackTrace()));
            }
        }
    }

    /** Gives the turn away, and looks after what it waits for until it has it again. */
    private static void leave(Turn me, Waiting waiting, Turn next) {
        if (Serving.active) {
            Serving.unfit("it waits for something outside");
        }
        if (waiting instanceof Waiting.Exit) {
            Object process = ((Waiting.Exit) waiting).process;
            if (Thread.holdsLock(process)) {
                me.enters(process);
            }
        }
        me.flag |= Thread.interrupted();
        if (me.flag && waiting.interruptible) {
            waiting.ended = true;
        }
        boolean looks = Engine.policy.looksOutside();
        Engine.NOBODY.after = null;
        Engine.pass(me, next);
        while (looks && !me.isGranted() && me.state == Turn.OUTSIDE) {
            boolean over;
            try {
                over = waiting.isOver(LOOK);
            } catch (InterruptedException interrupted) {
                over = waiting.ended;
            }
            if (over) {
                Engine.ready(me);
            } else {
                fireTimeout();
            }
        }
        me.await();
        me.enters(null);
        Engine.resume(me);
    }

    /** Nobody has the turn: whose time has run out gets it, or who finds its monitor free. */
    private static void fireTimeout() {
        Turn found = null;
        synchronized (Engine.TABLE) {
            long now = System.nanoTime();
            for (int number = 0; Engine.running == Engine.NOBODY && number < Engine.count(); number++) {
                Turn turn = Engine.turn(number);
                boolean late = turn.deadline != 0 && turn.deadline - now <= 0
                        && (turn.state == Turn.OUTSIDE || Ready.canTimeOut(turn));
                if (late || turn.state == Turn.MONITOR && Ready.is(turn)) {
                    turn.timedOut = late;
                    turn.taken = true;
                    Engine.running = turn;
                    found = turn;
                }
            }
        }
        if (found != null) {
            found.grant();
        }
    }
}
