package reprise.player;

import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Which object has which number. A number is the thread that mentioned an
 * object first and the how-manieth it was there; both sides count alike.
 */
final class Objects {
    /** How long another thread may take until it lets an object out. */
    private static final long PATIENCE = 30_000_000_000L;

    private final Replay replay;
    private final Map<Long, Object> byKey = new HashMap<>();
    private final Map<Object, Long> keys = new IdentityHashMap<>();
    /** How many threads wait for an object. */
    private int waiting;

    Objects(Replay replay) {
        this.replay = replay;
    }

    static long key(int thread, long number) {
        return (long) thread << 40 | number;
    }

    static String title(long key) {
        return "#" + (key & (1L << 40) - 1);
    }

    /** The number of an object; 0 when it has none. */
    synchronized long keyOf(Object o) {
        Long key = keys.get(o);
        return key == null ? 0 : key;
    }

    synchronized Object get(long key) {
        return byKey.get(key);
    }

    /**
     * The same for something that comes in. Another thread may still have to let it out: what it
     * numbered was seen before its event was complete, or nothing says when that was. So it is waited
     * for, and whoever does so holds up nobody.
     */
    Object get(long key, int thread) {
        Object known = get(key);
        int other = (int) (key >>> 40);
        if (known != null || other == thread) {
            return known;
        }
        replay.order.done(thread);
        return await(key, other);
    }

    private synchronized Object await(long key, int other) {
        long end = System.nanoTime() + PATIENCE;
        Object known = byKey.get(key);
        waiting++;
        try {
            while (known == null && System.nanoTime() < end && replay.order.isToCome(other)) {
                wait(10);
                known = byKey.get(key);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            waiting--;
        }
        return known;
    }

    synchronized void bind(Object o, long key) {
        byKey.put(key, o);
        keys.put(o, key);
        if (waiting > 0) {
            notifyAll();
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
