package reprise.scheduler;

import java.util.Map;

import jdk.internal.misc.Unsafe;

/**
 * Identity hashes. They are another number in every run, and with them the order in which
 * hash tables have their objects. Classes of the JDK and of the program say which object they
 * are about to ask for its hash; where a run is recorded, that hash is written down with the
 * type of the object, and where the run is followed, an object that has no hash yet gets the
 * one that is written down next for its type and for the thread that asks. Classes and
 * constants of enums are known by their names. Code of the JDK that says nothing asks classes for
 * their hashes early, so a class gets what is written down for it when it is loaded.
 *
 * A hash, once there, is never changed: it may be in tables already. It is put where the JVM
 * has it, in the object's header, so that nobody can see another one. Where in the header
 * that is, is found out by looking; a JVM that has it elsewhere goes without.
 */
public final class Hashes {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether anybody wants to know. */
    static boolean on;

    private static final long HASH = 0x7fff_ffffL;
    /** The lowest bits of a header: nobody has locked the object. */
    private static final long FREE = 1;
    /** The same in JVMs with biased locking, which nobody has used for the object. */
    private static final long BIASED = 5;
    private static final long AGE = 0x78;
    /** Where the hash begins in a header; 0 if that is not known. */
    private static int shift;

    /** A number for a type whose objects hash by identity; negative for others. */
    private static final ClassValue<Integer> TYPES = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return Native.hashesByIdentity(type) ? stem(type.getName()).hashCode() & 0x0fff_ffff : -1;
        }
    };

    /** By what a class is told by: its hash in the run that is followed; 0 if that is not known. */
    private static volatile Map<Integer, Integer> classes;

    private Hashes() {}

    /** What is needed later is loaded now, and the JVM is looked at. */
    static void prepare() {
        TYPES.get(Object.class);
        TYPES.get(String.class);
        TYPES.get(Class.class);
        Object known = new Object();
        int hash = System.identityHashCode(known);
        long header = U.getLong(known, 0L);
        for (int at = 8; at < 32 && shift == 0; at++) {
            if ((header >>> at & HASH) == hash && (header & 7) == FREE) {
                shift = at;
            }
        }
        Object tried = new Object();
        if (shift != 0 && !(give(tried, 0x1234_5678) && System.identityHashCode(tried) == 0x1234_5678)) {
            shift = 0;
        }
    }

    /** All hashes that are written down, by what objects are told by; 0 where there are several. */
    static void are(Map<Integer, Integer> hashes) {
        classes = hashes;
    }

    /** A class has been loaded, and nobody has seen it yet. */
    static void loaded(Class<?> type) {
        Map<Integer, Integer> all = classes;
        // What the JVM counts may be another class.
        if (all == null || shift == 0 || !stem(type.getName()).equals(type.getName())) {
            return;
        }
        int hash = all.getOrDefault(kind(type, TYPES.get(Class.class)), 0);
        if (hash != 0) {
            give(type, hash);
        }
    }

    /** What an object is told by, beside its hash. */
    private static int kind(Object object, int type) {
        if (object instanceof Class) {
            return type ^ stem(((Class<?>) object).getName()).hashCode() & 0x0fff_ffff;
        }
        if (object instanceof Enum) {
            return type ^ ((Enum<?>) object).name().hashCode() & 0x0fff_ffff;
        }
        return type;
    }

    /** The name of a type without what the JVM counts. */
    private static String stem(String name) {
        int end = name.indexOf('/');
        end = end < 0 ? name.length() : end;
        while (end > 0 && Character.isDigit(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end);
    }

    /** Before an object is asked for its hash. */
    public static void reads(Object object) {
        if (!on || object == null) {
            return;
        }
        Class<?> type = object.getClass();
        if (type != String.class && type != Integer.class && type != Long.class) {
            look(object, type);
        }
    }

    private static void look(Object object, Class<?> type) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            // Whatever finds out about types has tables of its own.
            if (me != null && !me.looks) {
                me.looks = true;
                int number = TYPES.get(type);
                if (number >= 0) {
                    me.hashes(kind(object, number), System.identityHashCode(object));
                }
                me.looks = false;
            }
            return;
        }
        Turn me = Engine.mine();
        if (me != null && !me.looks) {
            me.looks = true;
            int number = TYPES.get(type);
            if (number >= 0 && !Values.hashes(me, kind(object, number), object)) {
                take(me, object, number);
            }
            me.looks = false;
        }
    }

    /** Gives an object what is written down for it. */
    private static void take(Turn me, Object object, int type) {
        if (me.given != null && shift != 0 && isFree(U.getLong(object, 0L))) {
            int hash = me.given.hash(kind(object, type));
            if (hash != 0) {
                give(object, hash);
            }
        }
    }

    /** Whether an object with this header has no hash, and can be given one. */
    private static boolean isFree(long header) {
        if ((header & 7) == BIASED) {
            return shift == 8 && header >>> 10 == 0;
        }
        return (header & 7) == FREE && (header >>> shift & HASH) == 0;
    }

    /** Puts a hash into a header; false if somebody was faster. */
    private static boolean give(Object object, int hash) {
        long header = U.getLongVolatile(object, 0L);
        if (!isFree(header)) {
            return false;
        }
        long rest = (header & 7) == BIASED ? header & AGE | FREE : header;
        return U.compareAndSetLong(object, 0L, header, rest | (hash & HASH) << shift);
    }
}
