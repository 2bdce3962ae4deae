package reprise.player;

import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.Map;

/**
 * Which object has which number. A number is the thread that mentioned an
 * object first and the how-manieth it was there; both sides count alike.
 *
 * An object is kept until its last mention: how many there are is said with the
 * first. After a divergence nothing is sure, and nothing is let go of.
 */
final class Objects {
    /** More mentions than there can be: the object is kept for good. */
    static final int ALWAYS = Integer.MAX_VALUE;
    /** How long another thread may take until it lets an object out. */
    private static final long PATIENCE = 30_000_000_000L;

    private final Replay replay;
    private final Numbered.Table numbers = new Numbered.Table();
    /** Those that are to be mentioned again, by number. */
    private final Map<Long, Numbered> awaited = new HashMap<>();
    /** By thread, the last number that it gave. */
    private final Map<Integer, long[]> given = new HashMap<>();
    /** How many threads wait for an object. */
    private int waiting;

    Objects(Replay replay) {
        this.replay = replay;
    }

    static long key(int thread, long number) {
        return (long) thread << 40 | number;
    }

    private static long number(long key) {
        return key & (1L << 40) - 1;
    }

    static String title(long key) {
        return "#" + number(key);
    }

    /** The number of an object; 0 when it has none. */
    synchronized long keyOf(Object o) {
        Numbered known = numbers.get(o);
        return known == null ? 0 : known.key;
    }

    /** The object of a number that is to be mentioned again; null for others. */
    synchronized Object get(long key) {
        Numbered known = awaited.get(key);
        return known == null ? null : known.held;
    }

    /**
     * The same for something that comes in. Another thread may still have to let it out: what it
     * numbered was seen before its event was complete, or nothing says when that was. So it is waited
     * for, and whoever does so holds up nobody.
     */
    Object get(long key, int thread) {
        int other = (int) (key >>> 40);
        if (other != thread && !isGiven(key)) {
            replay.order.done(thread);
            await(key, other);
        }
        return get(key);
    }

    private synchronized boolean isGiven(long key) {
        long[] last = given.get((int) (key >>> 40));
        return last != null && number(key) <= last[0];
    }

    private synchronized void await(long key, int other) {
        long end = System.nanoTime() + PATIENCE;
        waiting++;
        try {
            while (!isGiven(key) && System.nanoTime() < end && replay.order.isToCome(other)) {
                wait(10);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            waiting--;
        }
    }

    /** An object gets its number, and is mentioned so many times more. */
    synchronized void bind(Object o, long key, int more) {
        Numbered numbered = numbers.put(o, key);
        if (more != 0) {
            numbered.held = o;
            numbered.more = more;
            awaited.put(key, numbered);
        }
        long[] last = given.computeIfAbsent((int) (key >>> 40), thread -> new long[1]);
        last[0] = Math.max(last[0], number(key));
        if (waiting > 0) {
            notifyAll();
        }
    }

    /** An event has mentioned an object again. */
    synchronized void mentioned(long key) {
        Numbered known = awaited.get(key);
        if (known != null && known.more != ALWAYS && replay.diverged.get() == 0
                && --known.more == 0) {
            known.held = null;
            awaited.remove(key);
        }
    }

    /** A placeholder for something from outside. */
    Object make(Value value) {
        Class<?> c = replay.types.get(value.type).find(replay);
        if (value.kind != Value.ARRAY) {
            return replay.placeholders.make(c);
        }
        if (!c.isArray()) {
            throw new Unplayable(c.getName() + " is no array");
        }
        try {
            return Array.newInstance(c.getComponentType(), value.length);
        } catch (OutOfMemoryError tooLarge) {
            throw new Unplayable("there is no room for an array of " + value.length);
        }
    }
}
