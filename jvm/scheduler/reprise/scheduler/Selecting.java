package reprise.scheduler;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import jdk.internal.misc.Unsafe;

/**
 * What selectors find. Which channels are ready at one moment, and in which order the system
 * says so, is chance, and a program does things in that order. So it is written down, and in a
 * replay a selector waits for the same, and finds nothing else.
 *
 * Channels are told by how many were registered with the selector before them; 0 is what wakes
 * the selector up. Numbers of file descriptors are other ones in every run.
 */
public final class Selecting {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** How long something may take to be ready that was; in milliseconds. */
    private static final int PATIENCE = 5000;
    /** How what the system says lies in memory: its size, and where the descriptor is. */
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");
    private static final int SIZE = PACKED ? 12 : 16;
    private static final int DESCRIPTOR = PACKED ? 4 : 8;
    /** A channel can be written to. */
    private static final int WRITES = 4;

    /** Guards the list, and what is in it. */
    static final Object TABLE = new Object();
    private static final List<Selecting> ALL = new ArrayList<>();

    private final WeakReference<Object> selector;
    private int registered;
    private final Map<Integer, Integer> numbers = new HashMap<>();
    private final Map<Integer, Integer> descriptors = new HashMap<>();

    private Selecting(Object selector) {
        this.selector = new WeakReference<>(selector);
    }

    /** By a walk: to hash a selector would be seen. */
    private static Selecting of(Object selector) {
        for (Iterator<Selecting> all = ALL.iterator(); all.hasNext();) {
            Selecting next = all.next();
            Object known = next.selector.get();
            if (known == selector) {
                return next;
            }
            if (known == null) {
                all.remove();
            }
        }
        Selecting added = new Selecting(selector);
        ALL.add(added);
        return added;
    }

    /** Before a channel is registered with a selector. */
    public static void registers(Object selector, Object channel) {
        if (!Free.on && Engine.running == null) {
            return;
        }
        int descriptor = Outside.number(channel);
        synchronized (TABLE) {
            Selecting of = of(selector);
            int number = ++of.registered;
            Integer before = of.numbers.put(descriptor, number);
            if (before != null) {
                // That channel is closed: a server would have more and more of them.
                of.descriptors.remove(before);
            }
            of.descriptors.put(number, descriptor);
        }
    }

    /** Before a selector waits, in its epoll; returns how long it is to wait itself. */
    public static int selects(int millis, Object selector, int epoll) {
        if (Free.on && millis != 0) {
            Wires.awaits(1, !Native.poll(epoll, false, 0), 0);
            return millis;
        }
        Turn me = Engine.counted();
        if (me == null) {
            return millis;
        }
        int time = millis == 0 ? 0 : Outside.selects(me, epoll, millis);
        me.found = Values.found(me);
        if (me.found == null) {
            return time;
        }
        for (long key : me.found) {
            int descriptor = descriptor(selector, epoll, key);
            boolean writes = ((int) key & WRITES) != 0;
            if (descriptor >= 0 && !Native.poll(descriptor, writes, PATIENCE)) {
                throw Engine.policy.stopped(me, "a selector for channel " + (key >>> 32) + " of it, which was "
                        + (writes ? "writable" : "readable") + " then");
            }
        }
        return 0;
    }

    /** Which descriptor is meant; of what wakes the selector up only the selector knows. */
    private static int descriptor(Object selector, int otherwise, long key) {
        synchronized (TABLE) {
            return of(selector).descriptors.getOrDefault((int) (key >>> 32), otherwise);
        }
    }

    /** After a selector has found so many, which are in memory. Returns how many it has. */
    public static int selected(int count, Object selector, long address) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null && count >= 0) {
                Values.finds(keys(count, selector, address));
            }
            Wires.gets(false);
            return count;
        }
        Turn me = Engine.counted();
        if (me == null || count < 0) {
            return count;
        }
        long[] found = me.found;
        me.found = null;
        if (found == null) {
            Values.finds(keys(count, selector, address));
            return count;
        }
        int wakes = wakes(count, selector, address);
        int all = 0;
        for (long key : found) {
            int descriptor = descriptor(selector, wakes, key);
            if (descriptor >= 0) {
                long at = address + (long) all++ * SIZE;
                U.putInt(at, (int) key);
                U.putInt(at + DESCRIPTOR, descriptor);
                U.putInt(at + DESCRIPTOR + 4, 0);
            }
        }
        return all;
    }

    /** What was found: for each, which channel, and for what it is ready. */
    private static long[] keys(int count, Object selector, long address) {
        long[] keys = new long[count];
        synchronized (TABLE) {
            Selecting of = of(selector);
            for (int at = 0; at < count; at++) {
                int descriptor = U.getInt(address + (long) at * SIZE + DESCRIPTOR);
                int number = of.numbers.getOrDefault(descriptor, 0);
                keys[at] = (long) number << 32 | U.getInt(address + (long) at * SIZE) & 0xffffffffL;
            }
        }
        return keys;
    }

    /** The descriptor that wakes the selector up, if that was found; otherwise negative. */
    private static int wakes(int count, Object selector, long address) {
        synchronized (TABLE) {
            Selecting of = of(selector);
            for (int at = 0; at < count; at++) {
                int descriptor = U.getInt(address + (long) at * SIZE + DESCRIPTOR);
                if (!of.numbers.containsKey(descriptor)) {
                    return descriptor;
                }
            }
            return -1;
        }
    }
}
