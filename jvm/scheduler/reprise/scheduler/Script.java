package reprise.scheduler;

/**
 * Follows a schedule: waits until the running thread comes to the next place in it, and
 * performs the actions that stand behind it.
 */
final class Script extends Policy {
    /** Places in the JDK that are the same in every release, and need no probe. */
    static final int PARKS = -2;
    static final int WAITS = -3;
    static final int EXITS = -4;
    static final int OUTSIDE = -5;
    static final int CONTENDED = -6;
    static final int TASK = -7;

    /** For so long daemons may compute when the JVM would end, before they come to a place. */
    private static final long COMPUTING = 2 * Computing.SECOND;

    private final Plan plan;
    private final int verbosity;
    /** The next command. */
    private int next;
    /** The event that is awaited; null at the end of the schedule. */
    private Plan.Step awaited;
    /** How often its place has still to be reached. */
    private long left;
    /** How many events have happened. */
    private long happened;
    /** For how long threads have waited for a time since so many, in milliseconds. */
    private long waited;
    private long waitedAt;
    /** The thread that ends before the next command, and the command that says so. */
    private Turn dying;
    private Plan.Step death;

    Script(Plan plan, int verbosity) {
        this.plan = plan;
        this.verbosity = verbosity;
    }

    /** Performs what comes before any event. The calling thread is main. */
    void begin() {
        Turn main = Engine.mine();
        Engine.yieldTo(main, perform(main, main));
    }

    @Override
    void before(Turn me, int site) {
        if (awaited != null && !awaited.in && me != dying && --left == 0) {
            me.site = site;
            happen(me);
        }
    }

    /** Performs what follows an event, and lets who is meant go on. */
    private void happen(Turn me) {
        happened++;
        Turn next = perform(me, me);
        if (next != me) {
            Engine.yieldTo(me, next);
        } else if (Engine.running == me) {
            resumed(me);
        }
    }

    @Override
    void calls(Turn me, int site) {
        if (awaited != null && awaited.in && me != dying && --left == 0) {
            me.site = site;
            me.marked = true;
        }
    }

    @Override
    Turn blocked(Turn me) {
        boolean blocks = me.marked && awaits(me.site)
                || me.state == Turn.PARKED && awaits(PARKS) && --left == 0
                || me.state == Turn.WAITING && awaits(WAITS) && --left == 0;
        if (blocks) {
            me.marked = false;
            me.site = awaited.site;
            if (me.state == Turn.PARKED && me.given != null) {
                me.given.parks();
            }
            happened++;
            Turn next = perform(me, me);
            if (next == me && Engine.running == me) {
                // It gave way, and nobody else could go on until it could.
                resumed(me);
            }
            return next;
        }
        if (me.state == Turn.PARKED && Exits.mayWake()) {
            Exits.await(me);
            if (me.permit) {
                return me;
            }
        }
        if (me.deadline != 0) {
            // In the run that the schedule is about, nobody else ran meanwhile. Who
            // sleeps looks at no clock; who waits may, and what is outside takes its time.
            if (me.state != Turn.SLEEPING || Engine.isAnyOutside()) {
                waits(me);
                Clock.await(me.deadline);
            }
            return me;
        }
        if (awaited == null && dying == null) {
            throw Ending.end(me, "left", "thread " + me.number + " has blocked");
        }
        throw diverged(me, "has blocked");
    }

    /**
     * A thread waits for a time that the schedule says nothing of. Where that is not by chance,
     * it may do so for ever.
     */
    private void waits(Turn me) {
        if (happened != waitedAt) {
            waitedAt = happened;
            waited = 0;
        }
        waited += Math.max(0, me.deadline - System.nanoTime()) / 1_000_000;
        if (waited > Watch.TOO_LONG && Engine.isAnyReady()) {
            throw diverged(me, "waits for a time again and again");
        }
    }

    @Override
    void outside(Turn me) {
        if (awaits(OUTSIDE) && me != dying && --left == 0) {
            me.marked = true;
            me.site = OUTSIDE;
        }
    }

    /** Otherwise what it waits for had come when it was here; and now it comes by itself. */
    @Override
    boolean leaves(Turn me, Waiting waiting) {
        return me.marked && me.site == OUTSIDE && awaits(OUTSIDE);
    }

    /** Whether a thread is to block there. */
    private boolean awaits(int site) {
        return awaited != null && awaited.in && awaited.site == site;
    }

    @Override
    void resumed(Turn me) {
        // An attempt that was not carried out when the thread stopped counts.
        // One that is stopped before a call comes to what is counted in it by itself.
        // One that was carried out, as where the JDK parks a thread, does not.
        boolean here = awaited != null && me.site != PARKS && me.site != WAITS
                && (awaited.site == me.site || me.site > 0 && me.site % 2 == 1 && awaited.site == me.site - 1);
        if (here && me != dying && --left == 0) {
            if (awaited.in) {
                me.marked = true;
            } else {
                happen(me);
            }
        }
    }

    @Override
    Turn ended(Turn me) {
        if (me != dying && awaited != null && awaited.site == EXITS && --left == 0) {
            happened++;
            perform(me, me);
        }
        if (me == dying) {
            Plan.Step step = death;
            dying = null;
            death = null;
            Turn current = perform(me, target(me, step));
            return current == null || current == me ? nobody(me) : current;
        }
        if (awaited == null) {
            return nobody(me);
        }
        throw diverged(me, "has ended");
    }

    /** The schedule lets nobody go on: that is as it should be if all have ended. */
    private Turn nobody(Turn me) {
        if (awaited == null && Ready.areStuck()) {
            throw Ending.end(me, "stuck", happened + " " + plan.events);
        }
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state != Turn.DEAD && turn.state != Turn.NEW && !turn.thread.isDaemon()) {
                throw Ending.end(me, awaited == null ? "left" : "diverged", "thread " + me.number
                        + " has ended, and the schedule lets nobody go on");
            }
        }
        return null;
    }

    @Override
    Turn notified(Turn me, Object monitor) {
        // With several, the schedule says which if it matters.
        Turn only = null;
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state == Turn.WAITING && turn.on == monitor) {
                if (only != null) {
                    return null;
                }
                only = turn;
            }
        }
        return only;
    }

    @Override
    Turn contended(Turn me, Object monitor, Turn owner) {
        if (me.marked && awaits(me.site) || awaits(CONTENDED) && --left == 0) {
            me.marked = false;
            me.site = awaited.site;
            happened++;
            return perform(me, me);
        }
        me.state = Turn.MONITOR;
        throw diverged(me, "needs a monitor that thread " + owner.number + " has");
    }

    @Override
    IllegalStateException stopped(Turn turn, String where) {
        return diverged(turn, "is in " + where + ", which does not return");
    }

    /** Places count as often as the schedule does: whoever comes to one for ever comes to its end. */
    @Override
    long progress() {
        return happened * 0x9e3779b97f4a7c15L + left;
    }

    @Override
    String spins(Turn turn, int seconds) {
        return "thread " + turn.number + " (" + turn.thread.getName() + ") " + runsOn(seconds)
                + (hasMore() ? wanted() : ", and the schedule is at its end");
    }

    private static String runsOn(int seconds) {
        return "has run for " + seconds + " s and has come to no place of the schedule";
    }

    @Override
    void spun(Turn turn, int seconds) {
        if (awaited == null && dying == null) {
            throw Ending.end(turn, "diverged", progressed() + "the schedule is at its end, thread "
                    + turn.number + " has run for " + seconds + " s since, and others wait for their turn");
        }
        throw diverged(turn, runsOn(seconds) + ", as who waits in a loop for another thread");
    }

    @Override
    void awaitDaemons() {
        Computing computing = new Computing(COMPUTING);
        while (hasMore() && computing.lasts()) {
            Really.park(false, 1_000_000L);
        }
    }

    private boolean hasMore() {
        return (awaited != null || dying != null) && !isEndless();
    }

    @Override
    void finish() {
        // What nobody waits for was cut off in the recorded run as well, somewhere.
        if (hasMore() && !Engine.areDaemons()) {
            Native.report("diverged", progressed() + "the program has ended" + wanted());
        } else {
            Native.report("followed", happened + " " + plan.events);
        }
    }

    /** Whether the schedule is in a loop that a program can only leave by ending. */
    private boolean isEndless() {
        for (int at = next; at < plan.steps.size(); at++) {
            Plan.Step step = plan.steps.get(at);
            if (step.what == Plan.What.REPEAT && step.times == 0 && step.target < next) {
                return true;
            }
        }
        return false;
    }

    /** Performs actions up to the next event. Returns who runs then; null for nobody. */
    private Turn perform(Turn me, Turn from) {
        Turn current = from;
        awaited = null;
        At.awaited = Turn.NOWHERE;
        while (next < plan.steps.size() && awaited == null && dying == null) {
            Plan.Step step = plan.steps.get(next++);
            switch (step.what) {
                case EVENT:
                    awaited = step;
                    left = step.count;
                    At.awaited = step.site;
                    break;
                case SWITCH:
                    current = target(me, step);
                    break;
                case DIE:
                    dying = current;
                    death = step;
                    break;
                case NOTIFY:
                    Turn told = target(me, step);
                    if (told.state == Turn.WAITING) {
                        told.state = Turn.MONITOR;
                    }
                    break;
                case TIMEOUT:
                    Turn late = target(me, step);
                    late.timedOut = true;
                    if (late.deadline != 0) {
                        Clock.await(late.deadline);
                    }
                    break;
                case TERMINATE:
                    next = plan.steps.size();
                    Engine.release();
                    return me;
                case LOG:
                    if (step.site <= verbosity) {
                        Native.report("log", step.text);
                    }
                    break;
                case REPEAT:
                    if (step.times == 0 || --step.left > 0) {
                        next = step.target + 1;
                    } else {
                        step.left = step.times;
                    }
                    break;
                default:
            }
        }
        if (current == null && me.state != Turn.DEAD) {
            throw Ending.end(me, awaited == null ? "stuck" : "diverged", awaited == null
                    ? happened + " " + plan.events
                    : progressed() + "the schedule lets nobody go on" + wanted());
        }
        return current;
    }

    /** The thread that a command names; null for none. */
    private Turn target(Turn me, Plan.Step step) {
        if (step.text.equals("none")) {
            return null;
        }
        boolean descent = step.text.indexOf('.') > 0;
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (descent ? turn.descent.equals(step.text) : String.valueOf(number).equals(step.text)) {
                if (turn.state == Turn.DEAD || turn.state == Turn.NEW) {
                    throw diverged(me, "is to give way to thread " + step.text
                            + (turn.state == Turn.DEAD ? ", which has ended" : ", which has not been started"));
                }
                if (turn.state == Turn.PARKED && turn != me && !turn.timedOut) {
                    Exits.await(turn);
                }
                return turn;
            }
        }
        throw diverged(me, "is to give way to thread " + step.text + ", which does not exist");
    }

    private IllegalStateException diverged(Turn me, String what) {
        return Ending.end(me, "diverged", progressed() + "thread " + me.number + " " + what + wanted());
    }

    private String progressed() {
        return happened + " " + plan.events + " ";
    }

    private String wanted() {
        if (dying != null) {
            return ", and the schedule wants thread " + dying.number + " to end";
        }
        return awaited == null ? "" : ", and the schedule wants '" + awaited.text + "'";
    }
}
