package reprise.scheduler;

import java.lang.reflect.Field;

import jdk.internal.misc.Unsafe;

/**
 * What the JDK draws by chance for itself, and programs see by its effects: in which order an
 * immutable set is gone through, and which queue of a pool a thread looks at first.
 */
final class Chance {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Where a thread has what it draws from; negative if this release has no such field. */
    private static final long SEED = field("threadLocalRandomSeed");
    private static final long PROBE = field("threadLocalRandomProbe");
    private static final long SECONDARY = field("threadLocalRandomSecondarySeed");

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
        if (SEED >= 0) {
            U.putLong(me, SEED, mixed);
        }
        // 0 would say that there is none yet.
        if (PROBE >= 0) {
            U.putInt(me, PROBE, (int) mix(mixed + 1) | 1);
        }
        if (SECONDARY >= 0) {
            U.putInt(me, SECONDARY, (int) mix(mixed + 2) | 1);
        }
    }

    /** Looked for once: by its name it would take longer than all else that a new thread needs. */
    private static long field(String name) {
        try {
            return U.objectFieldOffset(Thread.class, name);
        } catch (InternalError none) {
            return -1;
        }
    }

    private static long mix(long value) {
        long mixed = value + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
