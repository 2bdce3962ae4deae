package reprise.scheduler;

import java.lang.reflect.Field;

import jdk.internal.misc.Unsafe;

/**
 * What the JDK draws by chance for itself, and programs see by its effects: in which order an
 * immutable set is gone through, and which queue of a pool a thread looks at first.
 */
final class Chance {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What the seeds of all threads are made of. */
    private static long seed;
    private static boolean seeded;

    private Chance() {}

    /** Called by main before its program: what was drawn is written down, or given. */
    static void begin() {
        seed = Values.drawn(System.nanoTime());
        seeded = true;
        try {
            Class<?> sets = Class.forName("java.util.ImmutableCollections", true, null);
            Field salt = sets.getDeclaredField("SALT32L");
            Field reverse = sets.getDeclaredField("REVERSE");
            Object in = U.staticFieldBase(salt);
            U.putLong(in, U.staticFieldOffset(salt), Values.drawn(U.getLong(in, U.staticFieldOffset(salt))));
            in = U.staticFieldBase(reverse);
            U.putBoolean(in, U.staticFieldOffset(reverse),
                    Values.drawn(U.getBoolean(in, U.staticFieldOffset(reverse)) ? 1 : 0) != 0);
        } catch (ReflectiveOperationException | RuntimeException another) {
            // Releases that have no such fields do it elsewhere.
        }
        begun("0");
    }

    /** The calling thread begins, and this is its name by descent. */
    static void begun(String descent) {
        if (!seeded) {
            return;
        }
        Thread me = Thread.currentThread();
        long mixed = mix(seed ^ mix(descent.hashCode() + 1L));
        put(me, "threadLocalRandomSeed", mixed, true);
        // 0 would say that there is none yet.
        put(me, "threadLocalRandomProbe", mix(mixed + 1) | 1, false);
        put(me, "threadLocalRandomSecondarySeed", mix(mixed + 2) | 1, false);
    }

    private static void put(Thread thread, String field, long value, boolean wide) {
        long at;
        try {
            at = U.objectFieldOffset(Thread.class, field);
        } catch (InternalError none) {
            return;
        }
        if (wide) {
            U.putLong(thread, at, value);
        } else {
            U.putInt(thread, at, (int) value);
        }
    }

    private static long mix(long value) {
        long mixed = value + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
