package reprise.player;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * One recorded thread: its events, and how far it is. The {@link Driver} makes the
 * calls from outside, {@link Answers} are what those from inside get.
 */
final class Player extends Thread {
    final Replay replay;
    final int id;
    final Mentions mentions;
    final Calls calls;
    final Contents contents;
    final Driver driver;
    final Answers answers;
    final Turns turns;
    /** Objects whose constructors are open, the innermost first. */
    final ArrayDeque<Object> unborn = new ArrayDeque<>();
    private final CountDownLatch done = new CountDownLatch(1);
    /** The event that was played last. */
    private Event last;
    /** Where the inside is. */
    Site at;
    private int ended;
    /**
     * Whether inside code runs, not the player's own. Where what goes out was not
     * kept, it does until what it mentions has its numbers: others wait for that.
     */
    volatile boolean runsInside;
    /** The class that another thread initialises before this one goes on; 0 for none. */
    volatile int waitsForClass;
    /** The monitor that the inside enters; null when it has it. */
    volatile Object enters;

    Player(Replay replay, int id, String name, long stack) {
        super(null, null, name, stack);
        this.replay = replay;
        this.id = id;
        mentions = new Mentions(this);
        calls = new Calls(this, mentions);
        contents = new Contents(this);
        driver = new Driver(this);
        answers = new Answers(this);
        turns = new Turns(this);
        setDaemon(true);
        replay.order.expect(id, this);
    }

    @Override
    public void run() {
        try {
            Event event = driver.plays(null);
            replay.unplayable(id, event.number, Event.name(event.what) + " answers nothing");
        } catch (End end) {
            // As it should be.
        } catch (Unplayable wrong) {
            cannot(wrong.getMessage());
        } catch (Throwable failed) {
            cannot("the player failed: " + failed + at(failed));
        } finally {
            replay.order.leave(id);
            done.countDown();
        }
    }

    /** Says that the event which was taken last cannot be played. */
    void cannot(String why) {
        replay.unplayable(id, last == null ? 0 : last.number, why);
    }

    private static String at(Throwable failed) {
        StackTraceElement[] trace = failed.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    /** Waits until the thread has played everything it had. */
    void await() throws InterruptedException {
        done.await();
    }

    /**
     * There is nothing more to play. Inside code may catch what is thrown here;
     * it is not asked a third time.
     */
    private End end() {
        if (++ended > 3) {
            replay.order.leave(id);
            done.countDown();
            while (true) {
                LockSupport.park();
            }
        }
        return new End();
    }

    Event peek() {
        Event event = next();
        if (event == null) {
            throw end();
        }
        return event;
    }

    /**
     * The next event of the inside: a class loader that the JVM had asked comes first, once the
     * thread has done all that it had done by then.
     */
    private Event next() {
        return next(false);
    }

    /** The same; perhaps no loader that was asked when the thread had mentioned more objects. */
    Event next(boolean mentioned) {
        Event event = replay.order.peek(id);
        while (event != null && (turns.isPast(event)
                || isAsked(event) && (!mentioned || event.values[0].bits <= mentions.count()))) {
            boolean inside = runsInside;
            runsInside = false;
            take(null);
            if (event.what == Event.ORDER) {
                contents.fillAll(event);
                replay.order.done(id);
            } else {
                asked();
            }
            runsInside = inside;
            event = replay.order.peek(id);
        }
        return event;
    }

    boolean isAsked(Event event) {
        return event.what == Event.TOUCH && replay.recorded(event.id).isAsked();
    }

    /** Plays what the JVM asks an inside loader. Nothing here waits for the answer. */
    void asked() {
        Site before = at;
        Event answer = driver.plays(null);
        if (answer.what != Event.TOUCHED) {
            throw new Unplayable(Event.name(answer.what) + " ends what a loader was asked");
        }
        contents.fillAll(answer);
        replay.order.done(id);
        at = before;
    }

    /** The next event, if there is one; without one, the thread goes on while others do. */
    Event ahead() {
        Event event = next(true);
        if (event == null && !replay.order.isNeeded(id)) {
            throw end();
        }
        return event;
    }

    Event take(Object monitor) {
        Event event = replay.order.take(id, monitor);
        if (event == null) {
            throw end();
        }
        took(event);
        replay.played.incrementAndGet();
        return event;
    }

    /** The next event, which says more of what came along with the last. */
    Event takePart() {
        Event part = replay.order.take(id, null);
        if (part == null) {
            throw end();
        }
        if (!part.isPart()) {
            throw new Unplayable(Event.name(part.what) + " comes before what an object holds");
        }
        took(part);
        replay.played.incrementAndGet();
        return part;
    }

    private void took(Event event) {
        last = event;
        turns.took(event);
        mentions.took(event);
    }

    void diverged(Fact expected, Fact actual) {
        replay.diverged(id, last == null ? 0 : last.number, where(), line(), expected, actual);
    }

    /** The class and method that the inside is in; nothing when it has returned. */
    String where() {
        return at == null ? "" : at.where;
    }

    int line() {
        return at == null ? 0 : at.line;
    }

    /** An object gets its number here, although nothing mentions it. */
    void expose(Object o) {
        if (o != null && replay.objects.keyOf(o) == 0) {
            boolean inside = runsInside;
            runsInside = false;
            next(true);
            runsInside = inside;
            mentions.expose(o);
        }
    }

    /** The inside makes an object that has its number at once; one that the outside makes is mentioned later. */
    void made(Object o) {
        for (Object candidate : unborn) {
            if (candidate == o) {
                return;
            }
        }
        expose(o);
    }

    /** The object under construction that is mentioned for the first time. */
    Object unborn(Value value) {
        for (Object candidate : unborn) {
            if (mentions.fits(candidate, value)) {
                return candidate;
            }
        }
        return null;
    }

    Event last() {
        return last;
    }

    /** The inside goes on; at no moment does it look as if nothing were to come of it. */
    void goesOn() {
        runsInside = true;
        replay.order.done(id);
    }
}
