package reprise.player;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The events of all threads, in their recorded order.
 *
 * What comes in waits for everything that was recorded before it, in whatever
 * thread. What goes out waits for nothing: it follows from what came in. What
 * the threads do to one another inside waits for what came before it there, see
 * {@link Turns}. A thread that cannot go on until another does, for a reason that
 * left no event, is not waited for: what it did was recorded in the slice that
 * it had begun, and may in truth have come later.
 */
final class Order {
    /** How many events are held before the reader has to wait; one that is large counts for several. */
    private static final int HELD = 100_000;
    /** For how long nobody does anything before the reader goes on for those that have nothing. */
    private static final long STANDSTILL = 50_000_000L;
    /** For how long a thread that runs without an event is waited for. */
    private static final long PATIENCE = 5_000_000_000L;
    /** For how long nothing may happen before it is said; in seconds as it is given. */
    private static final long STUCK = Long.getLong("reprise.standstill", 30) * 1_000_000_000L;
    /** A nap that took longer says that this JVM did not run, not that nothing happens in it. */
    private static final long LONGEST_NAP = 10_000_000L;

    /** Whether what goes out was recorded. */
    private final boolean oracle;
    private final Map<Integer, Line> lines = new HashMap<>();
    private Line[] all = {};
    private int held;
    /** How many are held at most now. */
    private int limit = HELD;
    private long added;
    private boolean complete;
    private boolean stopped;
    /** Whether anything has been stopped; read without the monitor. */
    volatile boolean isOver;
    /** How many threads wait for the reader. */
    private int hungry;
    /** How many events were taken, plus one. */
    private long progress = 1;

    /** How long a thread sleeps that waits for its turn, when nobody wakes it. */
    private static final long NAP = 2_000_000L;
    /** How often a thread lets others run before it sleeps. */
    private static final int YIELDS = 20;

    /** What one thread has before it. */
    private static final class Line {
        final ArrayDeque<Event> events = new ArrayDeque<>();
        Player thread;
        volatile boolean gone;
        /** What the thread is doing; null when that is done. */
        Event current;
        /** The event whose turn the thread waits for. */
        Event waitsFor;
        /** A monitor that the thread is before, and who has it and waits for a turn. */
        Object monitor;
        Line holder;
    }

    Order(boolean oracle) {
        this.oracle = oracle;
    }

    synchronized void expect(int thread, Player player) {
        Line line = new Line();
        line.thread = player;
        lines.put(thread, line);
        all = lines.values().toArray(all);
    }

    /**
     * Takes events that were read; waits while there are too many. Some thread nearly always has
     * nothing to do for millions of events: the reader goes on for one only if nobody else does
     * anything. Then the others may be waiting for it.
     */
    synchronized void add(List<Event> events) throws InterruptedException {
        long since = System.nanoTime();
        long seen = progress;
        while (held > limit && !stopped) {
            wait(STANDSTILL / 1_000_000);
            long now = System.nanoTime();
            if (progress != seen) {
                seen = progress;
                since = now;
            } else if (hungry > 0 && now - since >= STANDSTILL) {
                limit = held + held / 4;
            }
        }
        if (held <= HELD) {
            limit = HELD;
        }
        for (Event event : events) {
            event.order = added++;
            Line line = lines.get(event.thread);
            if (line != null && !line.gone) {
                line.events.add(event);
                held += event.weight;
            }
        }
        notifyAll();
    }

    synchronized void complete() {
        complete = true;
        notifyAll();
    }

    /** No thread gets any more events. */
    synchronized void stop() {
        stopped = true;
        isOver = true;
        notifyAll();
        for (Line line : all) {
            LockSupport.unpark(line.thread);
        }
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** A thread wants no more. */
    synchronized void leave(int thread) {
        Line line = lines.get(thread);
        line.gone = true;
        line.current = null;
        for (Event event : line.events) {
            held -= event.weight;
        }
        line.events.clear();
        notifyAll();
        wakeFirst();
    }

    /** The next event of a thread, which stays; null at the end. */
    synchronized Event peek(int thread) {
        Line line = lines.get(thread);
        finish(line);
        return first(line);
    }

    /** The thread has done what the event it took says. */
    synchronized void done(int thread) {
        finish(lines.get(thread));
        rests();
    }

    /** A thread does not run inside code for now. */
    void rests() {
        if (!oracle) {
            synchronized (this) {
                wakeFirst();
            }
        }
    }

    /** A thread is no longer waited for. */
    synchronized void passes() {
        wakeFirst();
    }

    private void finish(Line line) {
        if (line.current != null) {
            line.current = null;
            wakeFirst();
        }
    }

    /** Of those that wait for their turn, only the first in order can have it. */
    private void wakeFirst() {
        Line first = null;
        for (Line line : all) {
            if (line.waitsFor != null
                    && (first == null || line.waitsFor.order < first.waitsFor.order)) {
                first = line;
            }
        }
        if (first != null) {
            LockSupport.unpark(first.thread);
        }
    }

    private Event first(Line line) {
        if (line.events.isEmpty() && !complete && !stopped) {
            hungry++;
            try {
                while (line.events.isEmpty() && !complete && !stopped) {
                    wait();
                }
            } catch (InterruptedException interrupted) {
                stopped = true;
            } finally {
                hungry--;
            }
        }
        return stopped ? null : line.events.peek();
    }

    /**
     * The next event of a thread, in its turn; null at the end. While it waits
     * it gives up the monitor, if there is one: Object.wait does.
     */
    Event take(int thread, Object monitor) {
        long seen = 0;
        long waited = 0;
        while (true) {
            synchronized (this) {
                Line line = lines.get(thread);
                finish(line);
                if (progress != seen) {
                    seen = progress;
                    waited = 0;
                }
                Event event = first(line);
                if (event == null) {
                    return null;
                }
                if (!event.isIncoming() || isTurn(line, event, waited > PATIENCE)) {
                    line.waitsFor = null;
                    return remove(line);
                }
                if (line.waitsFor == null) {
                    line.waitsFor = event;
                    rests();
                }
                holds(line);
                if (waited > STUCK && !anybodyRuns()) {
                    throw new Unplayable("nothing goes on" + standing(event));
                }
            }
            long before = System.nanoTime();
            monitor = rest(monitor, NAP);
            waited += Math.min(System.nanoTime() - before, LONGEST_NAP);
        }
    }

    /** Waits a while, without the monitor, if there is one; returns it unless it is not held. */
    private Object rest(Object monitor, long nanos) {
        if (Thread.interrupted()) {
            stop();
        }
        if (monitor == null) {
            LockSupport.parkNanos(this, nanos);
            return null;
        }
        try {
            monitor.wait(1);
        } catch (InterruptedException | IllegalMonitorStateException notHeld) {
            return null;
        }
        return monitor;
    }

    /** Whether a thread that has no more events may still be waited for. */
    synchronized boolean isNeeded(int thread) {
        if (stopped) {
            return false;
        }
        Line own = lines.get(thread);
        for (Line other : all) {
            if (other != own && !other.gone && (!other.events.isEmpty() || other.current != null)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a thread has something left to do. */
    synchronized boolean isToCome(int thread) {
        Line line = lines.get(thread);
        return line != null && !line.gone && !stopped
            && (!complete || !line.events.isEmpty() || line.current != null
                || line.thread.runsInside);
    }

    /** Waits until another thread has entered and used as many monitors and fields. */
    void follow(int thread, int other, long count, Object monitor) {
        Line before;
        synchronized (this) {
            before = lines.get(other);
        }
        if (before == null) {
            throw new Unplayable("there is no thread " + other);
        }
        Turns turns = before.thread.turns;
        for (int i = 0; monitor == null && turns.had < count && i < YIELDS; i++) {
            Thread.yield();
        }
        if (turns.had < count) {
            Turns.Follower follower = turns.follower(count);
            while (turns.had < count && !before.gone && !isOver) {
                monitor = rest(monitor, 10 * NAP);
            }
            turns.left(follower);
        }
    }

    private Event remove(Line line) {
        progress++;
        Event event = line.events.remove();
        int before = held;
        held -= event.weight;
        line.current = event;
        if (held <= HELD / 2 && before > HELD / 2) {
            notifyAll();
        }
        if (!event.isIncoming()) {
            wakeFirst();
        }
        return event;
    }

    private boolean anybodyRuns() {
        for (Line line : all) {
            if (!line.gone && line.thread.runsInside) {
                return true;
            }
        }
        return false;
    }

    /** Which threads an event waits for, and where they are. */
    private String standing(Event event) {
        StringBuilder text = new StringBuilder();
        for (Line line : all) {
            Event next = line.events.peek();
            boolean isDoing = line.current != null && line.current.order < event.order;
            if (isDoing || next != null && next.order < event.order) {
                text.append("; ").append(line.thread.getName())
                    .append(isDoing ? " is at event " : " is before event ")
                    .append((isDoing ? line.current : next).number)
                    .append(", ").append(line.thread.getState().name().toLowerCase());
            }
        }
        return text.toString();
    }

    /** Whether everything before an event has happened, or cannot yet. */
    private boolean isTurn(Line line, Event event, boolean impatient) {
        for (Line other : all) {
            if (other == line) {
                continue;
            }
            if (other.current != null && other.current.order < event.order) {
                return false;
            }
            Event before = other.events.peek();
            boolean isBefore = before != null && before.order < event.order;
            // What went out was not kept: whoever runs may be about to do it.
            boolean mayBe = !oracle && (before != null || !complete) && other.thread.runsInside;
            if ((isBefore || mayBe) && other.thread.waitsForClass == 0
                    && !isHeldUp(other, event) && !(impatient && isStuck(other.thread))) {
                return false;
            }
        }
        return true;
    }

    /** This thread waits: notes who is before a monitor that it has. */
    private void holds(Line line) {
        for (Line other : all) {
            Object monitor = other.thread.enters;
            if (monitor != null && Thread.holdsLock(monitor)) {
                other.monitor = monitor;
                other.holder = line;
            } else if (other.holder == line) {
                other.monitor = null;
                other.holder = null;
            }
        }
    }

    /**
     * Whether a thread cannot go on before an event of this one: it is before a monitor that this
     * one has, or one that has its turn later.
     */
    private static boolean isHeldUp(Line other, Event event) {
        Object monitor = other.thread.enters;
        if (monitor == null) {
            return false;
        }
        Event later = other.monitor == monitor ? other.holder.waitsFor : null;
        return later != null && later.order > event.order || Thread.holdsLock(monitor);
    }

    /**
     * Whether a thread waits for something that left no event: a plain field that
     * another thread is to write, say, or a monitor that one has who waits himself.
     */
    private static boolean isStuck(Player thread) {
        return thread.runsInside
            || thread.enters != null && thread.getState() == Thread.State.BLOCKED;
    }
}
