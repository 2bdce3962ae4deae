package reprise.scheduler;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the garbage collector does to the program's weak, soft and phantom references: when it
 * takes away what they refer to is chance. Where a run is recorded, it is written down which
 * references were found to have lost that, and which ones came out of queues. Where the run is
 * followed, the collector takes nothing away while there is memory, and the program is told what
 * it was told then.
 *
 * A reference that has a queue is named by the thread that has made it, and counted. Those that
 * the JDK makes for itself are not looked at: how many there are may be another number. Those that
 * it makes for the program are: keys of a {@code WeakHashMap}, and what a {@code Cleaner} awaits.
 */
public final class References {
    /** So many milliseconds after a collection what it has found is in the queues. */
    private static final int COLLECTING = 200;

    /** The program has references of classes of its own. */
    private static boolean own;

    /** In a replay: what references refer to. It is the first that is given up for memory. */
    private static SoftReference<List<Object>> held;
    /** In a replay, by name: the references that came out of a queue; null for those not yet made. */
    private static final Map<Long, Reference<?>> WANTED = new HashMap<>();

    private References() {}

    /** One with this name came out of a queue in the run that is followed. */
    static void wants(long name) {
        WANTED.put(name, null);
    }

    /** The program is about to make a reference, and does nothing else before it has. */
    public static void makes() {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.makes = true;
            }
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            me.makes = true;
        }
    }

    /** The program is about to make a {@code WeakHashMap}. */
    public static void makesTable() {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.makesTable = true;
            }
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            me.makesTable = true;
        }
    }

    /** A {@code WeakHashMap} is made, and this would be its queue. */
    public static ReferenceQueue<?> table(ReferenceQueue<?> queue) {
        boolean own = false;
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                own = me.makesTable;
                me.makesTable = false;
            }
        } else {
            Turn me = Engine.counted();
            if (me != null) {
                own = me.makesTable;
                me.makesTable = false;
            }
        }
        return own ? new Table() : queue;
    }

    /** Whether a reference only begins a list of others. */
    private static boolean isNone(Reference<?> reference, Object referent) {
        return referent == null && reference.getClass().getName().startsWith("jdk.internal.ref.");
    }

    /** A reference was made, by the program or by the JDK; the queue is null if it has none. */
    public static void made(Reference<?> reference, Object referent, Object queue) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null && (me.makes || queue instanceof Table) && !isNone(reference, referent)) {
                me.makes = false;
                if (queue != null) {
                    Names.add(reference, name(me.descent, ++me.made), me.word());
                }
            }
            return;
        }
        Turn me = Engine.counted();
        if (me == null || !(me.makes || queue instanceof Table) || isNone(reference, referent)) {
            return;
        }
        me.makes = false;
        if (Values.areGiven()) {
            hold(referent);
        }
        if (queue == null) {
            return;
        }
        long name = name(me.descent, ++me.made);
        if (Values.areKept()) {
            Names.add(reference, name, 0);
        } else if (WANTED.containsKey(name)) {
            WANTED.put(name, reference);
        }
    }

    /** A table of the JDK has a weak reference to this. */
    public static void keeps(Object referent) {
        if (Values.areGiven() && !Free.on && Engine.counted() != null) {
            hold(referent);
        }
    }

    private static long name(String descent, int count) {
        return (long) descent.hashCode() << 32 | count;
    }

    /** One thread runs at a time. */
    private static void hold(Object referent) {
        List<Object> all = held == null ? null : held.get();
        if (all == null) {
            all = new ArrayList<>();
            held = new SoftReference<>(all);
        }
        all.add(referent);
    }

    /** The program is about to call a method that may be that of a reference. */
    public static void asks(Object object) {
        if (object instanceof Reference) {
            own = true;
            ask(true);
        } else if (own) {
            ask(false);
        }
    }

    private static void ask(boolean asks) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.asksReference = asks;
            }
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            me.asksReference = asks;
        }
    }

    /** What the method has returned. */
    public static Object told(Object value) {
        if (!own) {
            return value;
        }
        boolean asks;
        if (Free.on) {
            FreeThread me = FreeThread.current();
            asks = me != null && me.asksReference;
        } else {
            Turn me = Engine.counted();
            asks = me != null && me.asksReference;
        }
        if (!asks) {
            return value;
        }
        ask(false);
        return referent(value);
    }

    /** What a reference refers to that the program has asked; in a replay it is away when it was. */
    public static Object referent(Object value) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.references++;
                if (value == null) {
                    me.reads(Values.CLEARED, me.references);
                }
            }
            return value;
        }
        Turn me = Engine.counted();
        if (me == null) {
            return value;
        }
        me.references++;
        if (value == null && Values.areKept()) {
            Values.note(me, Values.CLEARED, me.references);
        }
        return me.given != null && me.given.isCounted(Values.CLEARED, me.references) ? null : value;
    }

    /** The program has looked into a queue; null for nothing. */
    public static Reference<?> polled(Reference<?> found) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.polls++;
                Names.Name name = found == null ? null : Names.of(found);
                if (name != null) {
                    me.reads(Values.POLLED, me.polls);
                    me.reads(Values.POLLED, name.name);
                    me.follows(name.word);
                }
            }
            return found;
        }
        Turn me = Engine.counted();
        if (me == null) {
            return found;
        }
        me.polls++;
        if (Values.areKept()) {
            Names.Name name = found == null ? null : Names.of(found);
            if (name != null) {
                Values.note(me, Values.POLLED, me.polls);
                Values.note(me, Values.POLLED, name.name);
            }
            return found;
        }
        if (me.given == null || !me.given.isCounted(Values.POLLED, me.polls)) {
            return found;
        }
        Reference<?> wanted = WANTED.get(me.given.next(Values.POLLED, 0));
        return wanted == null ? found : wanted;
    }

    /**
     * What an entry of a {@code WeakHashMap} has found its key to be. Which use of the table that
     * is, is known by how often the thread has looked into queues.
     */
    public static Object key(Reference<?> entry, Object value) {
        if (Free.on) {
            FreeThread me = value == null ? FreeThread.current() : null;
            Names.Name name = me == null ? null : Names.of(entry);
            if (name != null) {
                me.reads(Values.EMPTIED, me.polls);
                me.reads(Values.EMPTIED, name.name);
            }
            return value;
        }
        Turn me = Engine.counted();
        if (me == null) {
            return value;
        }
        if (Values.areKept()) {
            Names.Name name = value == null ? Names.of(entry) : null;
            if (name != null) {
                Values.note(me, Values.EMPTIED, me.polls);
                Values.note(me, Values.EMPTIED, name.name);
            }
            return value;
        }
        boolean emptied = me.given != null && me.given.isNext(Values.EMPTIED, me.polls)
                && WANTED.get(me.given.after(Values.EMPTIED)) == entry;
        if (emptied) {
            me.given.next(Values.EMPTIED, 0);
            me.given.next(Values.EMPTIED, 0);
        }
        return emptied ? null : value;
    }

    /** What such an entry would have said if asked whether its key is this one; null is for none. */
    public static boolean refersTo(Reference<?> entry, Object object) {
        Object value = entry.get();
        return object == null ? key(entry, value) == null : value == object;
    }

    /** Whether nobody waits for anything else outside than for what comes out of queues. */
    static boolean areAllAwaited() {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state == Turn.OUTSIDE && !(turn.waiting instanceof Waiting.Enqueued)) {
                return false;
            }
        }
        return true;
    }

    /** Collects what nobody has, and says whether something came into a queue of those who wait. */
    static boolean bringsAny() {
        System.gc();
        long until = Clock.in(COLLECTING, 0);
        while (until - System.nanoTime() > 0) {
            for (int number = 0; number < Engine.count(); number++) {
                Turn turn = Engine.turn(number);
                if (turn.state == Turn.OUTSIDE && turn.waiting.isOver()) {
                    return true;
                }
            }
            Native.pause(1_000_000);
        }
        return false;
    }

    /** The program waits for what comes out of a queue. */
    public static Reference<?> remove(ReferenceQueue<?> queue) throws InterruptedException {
        return remove(queue, 0);
    }

    /** The same, for so many milliseconds; 0 is for ever. */
    public static Reference<?> remove(ReferenceQueue<?> queue, long millis) throws InterruptedException {
        if (Free.on) {
            return removeFreely(queue, millis);
        }
        Turn me = Engine.counted();
        if (me == null) {
            return queue.remove(millis);
        }
        if (millis < 0) {
            throw new IllegalArgumentException("Negative timeout value");
        }
        boolean comes = me.given != null && me.given.isNext(Values.POLLED, me.polls + 1);
        Waiting.Enqueued waiting = new Waiting.Enqueued(queue, comes);
        boolean inTime = Leaving.outside(me, waiting, millis > 0 ? Clock.in(millis, 0) : 0);
        Reference<?> found = polled(waiting.take());
        if (found == null && inTime && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return found;
    }

    /** What is in a queue now. Who puts it there is no thread of the program, and may have its lock. */
    private static Reference<?> look(ReferenceQueue<?> queue) {
        FreeThread me = FreeThread.current();
        if (me == null) {
            return queue.poll();
        }
        me.looksOutside = true;
        try {
            return queue.poll();
        } finally {
            me.looksOutside = false;
        }
    }

    private static Reference<?> removeFreely(ReferenceQueue<?> queue, long millis)
            throws InterruptedException {
        Reference<?> found = look(queue);
        Wires.awaits(1, found == null, (int) Math.min(millis, Integer.MAX_VALUE));
        if (found == null) {
            boolean interrupted = true;
            try {
                found = queue.remove(millis);
                interrupted = false;
            } finally {
                Wires.gets(found == null);
                FreeThread me = FreeThread.current();
                if (me != null && interrupted) {
                    me.follows(me.told());
                }
            }
        }
        return polled(found);
    }
}
