package reprise.scheduler;

import java.util.Map;

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
 * has it ({@link Header}), so that nobody can see another one.
 */
public final class Hashes {
    /** Whether anybody wants to know. */
    static boolean on;

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
        Header.prepare();
    }

    /** All hashes that are written down, by what objects are told by; 0 where there are several. */
    static void are(Map<Integer, Integer> hashes) {
        classes = hashes;
    }

    /** A class has been loaded, and nobody has seen it yet. */
    static void loaded(Class<?> type) {
        Map<Integer, Integer> all = classes;
        // What the JVM counts may be another class.
        if (all == null || !stem(type.getName()).equals(type.getName())) {
            return;
        }
        int hash = all.getOrDefault(kind(type, TYPES.get(Class.class)), 0);
        if (hash != 0) {
            Header.give(type, hash);
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
        Turn me = Engine.counted();
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
        if (me.given != null && Header.hasRoom(object)) {
            int hash = me.given.hash(kind(object, type));
            if (hash != 0) {
                Header.give(object, hash);
            }
        }
    }
}
