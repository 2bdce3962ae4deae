package reprise.scheduler;

/** Lets a strategy choose who runs, and writes down what it has chosen, as a schedule. */
final class Explorer extends Policy {
    /** Whether the schedule is written down. */
    static boolean writes = true;

    private final Strategy strategy;
    /** Per site: the number of the last event, and how often it was reached since. */
    private long[] counts = new long[1024];
    private long epoch = 1;
    private long steps;
    private boolean told;
    /** Who was let go on last. */
    private Turn last;
    private final Ready ready = new Ready();
    /** With a guide: who ran, and until when. */
    private final StringBuilder stretches = new StringBuilder();
    /** How many calls there were since the last event that may wait for something outside. */
    private long outsides;
    /** How often since then a thread has parked, or waited, until its time ran out, and nobody else ran. */
    private long parks;
    private long sleeps;
    /** How often a thread gave way in one. */
    private long waits;
    /** The last action, which may still turn out to have had no effect. */
    private String action;
    private Turn target;

    Explorer(Strategy strategy) {
        this.strategy = strategy;
        Owners.kept = true;
    }

    /** The thread comes to a place. */
    void passes(Turn me, int site) {
        me.site = site;
        me.marked = false;
        if (site >= counts.length) {
            counts = java.util.Arrays.copyOf(counts, 2 * site);
        }
        long count = counts[site];
        counts[site] = (count >>> 32 == epoch ? count : epoch << 32) + 1;
        me.attempt = counts[site] & 0xffff_ffffL;
    }

    @Override
    void before(Turn me, int site) {
        passes(me, site);
        offer(me);
    }

    @Override
    void calls(Turn me, int site) {
        passes(me, site);
        offer(me);
        me.marked = true;
    }

    private void offer(Turn me) {
        steps++;
        me.steps++;
        if (me.initialising > 0) {
            strategy.unstoppable(me);
            return;
        }
        int count = ready.collect();
        boolean hasTo = count == 1 && ready.turns[0] != me;
        if (count > 1 || hasTo || strategy.asksAlways()) {
            Turn next = hasTo ? ready.turns[0] : Ready.chosen(strategy.at(me, ready.turns, count));
            if (next == null) {
                next = Ready.timeout();
                if (next == null) {
                    throw strategy.stuck(me, ready.turns, count);
                }
            }
            if (next != me) {
                event(me, false);
                if (next.timedOut) {
                    action("timeout", next.number);
                }
                act("switch", next);
                stretch(me, me.steps, " ");
                last = next;
                Engine.yieldTo(me, next);
            } else if (strategy.marks()) {
                event(me, false);
                resumed(me);
            }
        }
    }

    @Override
    void acquired(Turn me) {
        strategy.acquired(me);
    }

    @Override
    void failed() {
        strategy.failed();
    }

    @Override
    void yields(Turn me) {
        strategy.yields(me);
    }

    @Override
    Turn blocked(Turn me) {
        if (me.state == Turn.SLEEPING) {
            strategy.yields(me);
        }
        if (me.state == Turn.OUTSIDE && !Engine.hasOthers(me)) {
            return me;
        }
        Turn next = instead(me);
        if (next == me) {
            runsOut(me);
            if (me.state == Turn.SLEEPING && Engine.isAnyOutside()) {
                // Nobody else is here, and what comes from outside takes its time.
                Clock.await(me.deadline);
            }
            return me;
        }
        return leave(me, next, me.state != Turn.MONITOR);
    }

    /**
     * The thread's time runs out before anybody else could go on: that is no event, and who follows
     * has to know that the thread comes there before it blocks.
     */
    private void runsOut(Turn me) {
        if (me.state == Turn.PARKED) {
            parks++;
        } else if (me.state == Turn.WAITING) {
            sleeps++;
        }
        // Should it block again in the same call, that is not the first time.
        me.marked = false;
    }

    @Override
    Turn contended(Turn me, Object monitor, Turn owner) {
        // Code of the JDK may have called the program back since: then the last place that the
        // thread came to lies behind it, and says nothing of where it is.
        return leave(me, instead(me), Ending.isInJdk(new Throwable().getStackTrace()));
    }

    /** Who goes on where the thread cannot; null if nobody can. */
    private Turn instead(Turn me) {
        int count = ready.collect();
        while (count == 0 && !Engine.isAnyOutside() && Exits.mayWake() && !Ready.isAnyLate()) {
            Clock.await(Clock.in(1, 0));
            count = ready.collect();
        }
        Turn next = count == 0 ? null : Ready.chosen(strategy.instead(me, ready.turns, count));
        if (count == 0 && Engine.isAnyOutside() && !isCollected()) {
            return Engine.NOBODY;
        }
        next = next == null ? Ready.timeout() : next;
        if (next == null && count > 0) {
            throw strategy.stuck(me, ready.turns, count);
        }
        return next;
    }

    /**
     * Whether all that threads wait for outside is what the garbage collector might put into
     * queues, and it has put nothing there: as nobody can go on, nothing more is given up.
     */
    private static boolean isCollected() {
        return !Engine.isAnyTimed() && !Exits.mayWake() && References.areAllAwaited()
                && !References.bringsAny();
    }

    /** Writes down that the thread gives way. */
    private Turn leave(Turn me, Turn next, boolean in) {
        if (me.site == Turn.NOWHERE && !in && target == me) {
            // It has done nothing since it got the turn: as if it had not got it.
            target = next;
        } else {
            event(me, in);
            if (next != null && next.timedOut) {
                action("timeout", next.number);
            }
            // Who takes the turn when nobody has it says so then.
            act("switch", next == Engine.NOBODY ? null : next);
            stretch(me, me.steps + 1, "! ");
        }
        last = next;
        if (next == null) {
            flush();
            tell();
            throw Ending.end(me, "deadlock", "");
        }
        return next;
    }

    @Override
    void outside(Turn me) {
        outsides++;
    }

    @Override
    boolean leaves(Turn me, Waiting waiting) {
        try {
            boolean over = waiting.isOver()
                    || waiting.looksItself() && waiting.isOver(1);
            return !over;
        } catch (InterruptedException interrupted) {
            me.thread.interrupt();
            return false;
        }
    }

    @Override
    boolean looksOutside() {
        return true;
    }

    @Override
    Turn again(Turn me) {
        int count = ready.collect();
        Turn next = count == 0 ? Engine.NOBODY : Ready.chosen(strategy.instead(me, ready.turns, count));
        if (next == null) {
            throw strategy.stuck(me, ready.turns, count);
        }
        if (next != Engine.NOBODY) {
            taken(next);
        }
        return next;
    }

    @Override
    void taken(Turn me) {
        if (me.timedOut) {
            action("timeout", me.number);
        }
        target = me;
        last = me;
    }

    @Override
    void resumed(Turn me) {
        if (me.site == Script.OUTSIDE) {
            outsides = 1;
        } else if (me.site >= 0) {
            counts[me.site] = (epoch << 32) + 1;
            me.attempt = 1;
        }
    }

    @Override
    Turn ended(Turn me) {
        flush();
        write(Script.EXITS, 1, false);
        outsides = 0;
        parks = 0;
        sleeps = 0;
        epoch++;
        stretch(me, me.steps + 1, "! ");
        Turn next = isLast() ? null : instead(me);
        if (next != null) {
            if (next.timedOut) {
                action("timeout", next.number);
            }
            act("die", next == Engine.NOBODY ? null : next);
            strategy.happened();
            last = next;
            return next;
        }
        last = null;
        act("die", null);
        strategy.happened();
        if (!isLast()) {
            flush();
            tell();
            throw Ending.end(me, "deadlock", "");
        }
        return null;
    }

    /** Whether the JVM ends with this thread. */
    private static boolean isLast() {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state != Turn.DEAD && turn.state != Turn.NEW && !turn.thread.isDaemon()) {
                return false;
            }
        }
        return true;
    }

    @Override
    Turn notified(Turn me, Object monitor) {
        Turn[] waiting = new Turn[Engine.count()];
        int count = 0;
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state == Turn.WAITING && turn.on == monitor) {
                waiting[count++] = turn;
            }
        }
        return count == 0 ? null : strategy.notified(waiting, count);
    }

    @Override
    void interrupts(Turn me, Turn other) {
        event(me, false);
        action(other.timedOut ? "timeout" : "notify", other.number);
        resumed(me);
    }

    @Override
    void finish() {
        flush();
        tell();
    }

    /** What is known of the run beside its schedule. */
    private void tell() {
        if (told) {
            return;
        }
        told = true;
        if (waits > 0) {
            Ending.report("say", "threads waited " + waits + (waits == 1 ? " time" : " times")
                    + " for something outside: a replay follows as far as that does what it did");
        }
        Ending.report("steps", String.valueOf(steps));
        strategy.ended();
        if (last != null && last != Engine.NOBODY) {
            stretch(last, Long.MAX_VALUE, "!");
        }
        if (stretches.length() > 0) {
            Ending.report("stretches", stretches.toString());
        }
    }

    /** Writes down that a thread has run up to a place, and whether it had to stop; see {@link Guide}. */
    private void stretch(Turn me, long end, String how) {
        if (strategy instanceof Guide) {
            stretches.append(me.descent).append(':').append(end).append(how);
        }
    }

    /** Writes down where the thread is. */
    private void event(Turn me, boolean in) {
        flush();
        if (in && me.state == Turn.OUTSIDE) {
            waits++;
            me.site = Script.OUTSIDE;
        } else if (in && (!me.marked || me.state == Turn.MONITOR)) {
            // Code of the JDK blocks that no code of the program has called, or in a call that
            // blocks only so.
            boolean contended = me.state == Turn.MONITOR;
            me.site = contended ? Script.CONTENDED : me.state == Turn.PARKED ? Script.PARKS : Script.WAITS;
        }
        long count = me.site < 0 ? 1 + runOut(me.site) : counts[me.site] & 0xffff_ffffL;
        if (me.site == Script.OUTSIDE && in) {
            if (writes) {
                Native.outside(outsides, Ending.place(new Throwable().getStackTrace()));
            }
        } else {
            write(me.site, count, in);
        }
        outsides = 0;
        parks = 0;
        sleeps = 0;
        epoch++;
        strategy.happened();
    }

    /** How often a thread has come to a place of the JDK and gone on by itself. */
    private long runOut(int site) {
        return site == Script.PARKS ? parks : site == Script.WAITS ? sleeps : 0;
    }

    private void act(String word, Turn next) {
        action = word;
        target = next;
    }

    private void flush() {
        if (action != null) {
            action(action, target == null ? -1 : target.number);
            action = null;
        }
    }

    private static void write(int site, long count, boolean in) {
        if (writes) {
            Native.event(site, count, in);
        }
    }

    private static void action(String word, int thread) {
        if (writes) {
            Native.action(word, thread);
        }
    }
}
