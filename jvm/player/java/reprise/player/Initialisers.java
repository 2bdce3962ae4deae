package reprise.player;

import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Which thread initialises a class.
 *
 * The first to use a class does it, and what its initialiser does is among that
 * thread's events. So whoever comes to the class first in a replay waits until
 * the recorded one has done it. What such a thread does next was recorded after
 * that, whatever the order of the events says, so nobody waits for it.
 */
final class Initialisers {
    /** For how long a thread is waited for while nothing is played. */
    private static final long PATIENCE = 5_000_000_000L;
    private static final long NAP = 1_000_000L;

    /** Whether an interface declares a method that is neither abstract nor static. */
    private static final ClassValue<Boolean> HAS_CODE = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> c) {
            try {
                for (java.lang.reflect.Method method : c.getDeclaredMethods()) {
                    if ((method.getModifiers() & (Modifier.ABSTRACT | Modifier.STATIC)) == 0) {
                        return true;
                    }
                }
            } catch (LinkageError unknown) {
                // Whoever needs it will say so.
            }
            return false;
        }
    };

    private final Replay replay;
    /** Threads by classes. Complete before the first event is played. */
    private final Map<Integer, Integer> threads = new ConcurrentHashMap<>();
    /** Classes that were used from outside before their initialisers began, by thread and event. */
    private final Map<Long, Integer> early = new ConcurrentHashMap<>();
    /** Classes whose initialisers have ended, one way or another. */
    private final Set<Integer> ended = ConcurrentHashMap.newKeySet();

    Initialisers(Replay replay) {
        this.replay = replay;
    }

    void add(int type, int thread) {
        threads.put(type, thread);
    }

    void addEarly(int type, int thread, long number) {
        early.put(key(thread, number), type);
    }

    /** The class that a call uses before the thread initialises it; 0 for none. */
    int early(int thread, long number) {
        return early.isEmpty() ? 0 : early.getOrDefault(key(thread, number), 0);
    }

    private static long key(int thread, long number) {
        return (long) thread << 40 | number;
    }

    /** From here on those that waited for it are waited for again. */
    void ended(int type) {
        ended.add(type);
        for (Player player : replay.players()) {
            if (player.waitsForClass == type) {
                player.waitsForClass = 0;
                LockSupport.unpark(player);
            }
        }
    }

    /** A thread is about to use the class that a site names. */
    void await(Player player, Site site) {
        if (threads.isEmpty()) {
            site.isInitialised = true;
            return;
        }
        Class<?> used;
        try {
            used = replay.types.used(replay.types.get(site.in).loader, site.owner);
        } catch (LinkageError | Unplayable wrong) {
            // The use itself will say so.
            return;
        }
        site.isInitialised = await(player, used);
    }

    /** Waits for a class and all that is above it; whether all of that is done. */
    private boolean await(Player player, Class<?> c) {
        if (c == null) {
            return true;
        }
        Type type = replay.types.of(c);
        Integer thread = type == null ? null : threads.get(type.id);
        if (thread != null && thread != player.id && !ended.contains(type.id)) {
            await(player, type.id, thread);
        }
        boolean all = thread == null || ended.contains(type.id);
        if (!c.isInterface()) {
            all &= awaitInterfaces(player, c) & await(player, c.getSuperclass());
        }
        return all;
    }

    /** An interface is initialised with a class below it only if it has code for its objects. */
    private boolean awaitInterfaces(Player player, Class<?> c) {
        boolean all = true;
        for (Class<?> above : c.getInterfaces()) {
            all &= !HAS_CODE.get(above) || await(player, above);
            all &= awaitInterfaces(player, above);
        }
        return all;
    }

    private void await(Player player, int type, int thread) {
        player.waitsForClass = type;
        replay.order.passes();
        long played = replay.played.get();
        long waited = 0;
        while (!ended.contains(type) && waited < PATIENCE
                && !replay.order.isOver && replay.order.isToCome(thread)) {
            LockSupport.parkNanos(this, NAP);
            waited += NAP;
            if (replay.played.get() != played) {
                played = replay.played.get();
                waited = 0;
            }
        }
        player.waitsForClass = 0;
    }
}
