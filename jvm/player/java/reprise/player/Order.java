package reprise.player;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The events of all threads, in their recorded order.
 *
 * What comes in waits for everything that was recorded before it, in whatever
 * thread. What goes out waits for nothing: it follows from what came in. A
 * thread that cannot go on until another does (it waits for a monitor, say) is
 * not waited for: what it did was recorded in the slice that it had begun, and
 * may in truth have come later.
 */
final class Order {
    /** How many events are held before the reader has to wait. */
    private static final int HELD = 100_000;
    /** For how long a thread that runs without an event is waited for. */
    private static final long PATIENCE = 2_000_000_000L;
    /** How long a thread has to be blocked: one that loads a class is, for a moment. */
    private static final long BLOCKED = 20_000_000L;

    private final Map<Integer, Line> lines = new HashMap<>();
    private Line[] all = {};
    private int held;
    private long added;
    private boolean complete;
    private boolean stopped;
    private long progress = System.nanoTime();

    /** What one thread has before it. */
    private static final class Line {
        final ArrayDeque<Event> events = new ArrayDeque<>();
        Player thread;
        boolean gone;
        /** What the thread is doing; null when that is done. */
        Event current;
        /** Since when it was seen to be blocked; 0 when it was not. */
        long blocked;
    }

    synchronized void expect(int thread, Player player) {
        Line line = new Line();
        line.thread = player;
        lines.put(thread, line);
        all = lines.values().toArray(all);
    }

    /** Takes events that were read; waits while there are too many. */
    synchronized void add(List<Event> events) throws InterruptedException {
        while (held > HELD && !stopped) {
            wait(100);
        }
        for (Event event : events) {
            event.order = added++;
            Line line = lines.get(event.thread);
            if (line != null && !line.gone) {
                line.events.add(event);
                held++;
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
        notifyAll();
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** A thread wants no more. */
    synchronized void leave(int thread) {
        Line line = lines.get(thread);
        line.gone = true;
        line.current = null;
        held -= line.events.size();
        line.events.clear();
        notifyAll();
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
    }

    private void finish(Line line) {
        if (line.current != null) {
            line.current = null;
            if (all.length > 1) {
                notifyAll();
            }
        }
    }

    private Event first(Line line) {
        try {
            while (line.events.isEmpty() && !complete && !stopped) {
                wait();
            }
        } catch (InterruptedException interrupted) {
            stopped = true;
        }
        return stopped ? null : line.events.peek();
    }

    /**
     * The next event of a thread, in its turn; null at the end. While it waits
     * it gives up the monitor, if there is one: Object.wait does.
     */
    Event take(int thread, Object monitor) {
        while (true) {
            synchronized (this) {
                Line line = lines.get(thread);
                finish(line);
                Event event = first(line);
                if (event == null) {
                    return null;
                }
                if (!event.isIncoming() || isTurn(line, event)) {
                    return remove(line);
                }
                if (monitor == null) {
                    waitForTurn(line, event);
                    return stopped ? null : remove(line);
                }
            }
            try {
                monitor.wait(1);
            } catch (InterruptedException | IllegalMonitorStateException notHeld) {
                monitor = null;
            }
        }
    }

    private Event remove(Line line) {
        held--;
        line.blocked = 0;
        progress = System.nanoTime();
        Event event = line.events.remove();
        line.current = event;
        if (held == HELD / 2) {
            notifyAll();
        }
        return event;
    }

    private void waitForTurn(Line line, Event event) {
        try {
            while (!isTurn(line, event) && !stopped) {
                wait(2);
            }
        } catch (InterruptedException interrupted) {
            stopped = true;
        }
    }

    /** Whether everything before an event has happened, or cannot yet. */
    private boolean isTurn(Line line, Event event) {
        for (Line other : all) {
            if (other == line) {
                continue;
            }
            if (other.current != null && other.current.order < event.order) {
                return false;
            }
            Event before = other.events.peek();
            if (before != null && before.order < event.order && !isStuck(other)) {
                return false;
            }
        }
        return true;
    }

    private boolean isStuck(Line line) {
        if (!line.thread.runsInside) {
            line.blocked = 0;
            return false;
        }
        long now = System.nanoTime();
        switch (line.thread.getState()) {
            case BLOCKED: case WAITING: case TIMED_WAITING:
                if (line.blocked == 0) {
                    line.blocked = now;
                }
                return now - line.blocked > BLOCKED;
            default:
                line.blocked = 0;
                return now - progress > PATIENCE;
        }
    }
}
