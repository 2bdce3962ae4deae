package reprise.scheduler;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.stream.BaseStream;

import jdk.internal.misc.Unsafe;

/** Which objects of the JDK synchronise by themselves, and which do it by another one. */
final class Synchronised {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final String LOCKS = "java.util.concurrent.locks.";

    /** Whether a collection does. */
    private static final ClassValue<Boolean> COLLECTIONS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            // A program may have classes below those of the JDK.
            for (Class<?> above = type; above != null; above = above.getSuperclass()) {
                String name = above.getName();
                if (name.startsWith("java.util.concurrent.")
                        || name.startsWith("java.util.Collections$Synchronized")
                        || name.equals("java.util.Vector") || name.equals("java.util.Hashtable")) {
                    return true;
                }
            }
            return false;
        }
    };

    /** Fields in which views and iterators of a collection have it, and inner classes the outer one. */
    private static final String[] WHOLE = {"this$0", "map", "m"};

    /** Where an object has the one by which it does; 0 for itself. */
    private static final ClassValue<Long> BY = new ClassValue<>() {
        @Override
        protected Long computeValue(Class<?> type) {
            for (Class<?> above = type; above != null; above = above.getSuperclass()) {
                String name = above.getName();
                if (name.startsWith(LOCKS)) {
                    boolean condition = name.endsWith("$ConditionObject");
                    boolean lock = name.equals(LOCKS + "ReentrantLock")
                            || name.startsWith(LOCKS + "ReentrantReadWriteLock");
                    if (condition || lock) {
                        return offset(above, condition ? "this$0" : "sync");
                    }
                } else if (name.startsWith("java.util.Collections$Synchronized")) {
                    long mutex = offset(above, "mutex");
                    if (mutex != 0) {
                        return mutex;
                    }
                } else if (name.startsWith("java.util.concurrent.Concurrent") || name.endsWith("Queue$Itr")
                        || name.endsWith("Deque$AbstractItr")) {
                    for (String field : WHOLE) {
                        long at = offset(above, field);
                        if (at != 0) {
                            return at;
                        }
                    }
                }
            }
            return 0L;
        }
    };

    /** Where a class declares a field of some reference; 0 if it does not. */
    private static long offset(Class<?> type, String field) {
        try {
            return type.getDeclaredField(field).getType().isPrimitive() ? 0L : U.objectFieldOffset(type, field);
        } catch (NoSuchFieldException | RuntimeException | InternalError none) {
            return 0L;
        }
    }

    /** Where a lock has the thread that has it; 0 if that is not known. */
    private static final long OWNER = ownerOffset();

    /** Reads a reference; releases have given it two names. */
    private static final MethodHandle REFERENCE = find("getReference", "getObject");

    private Synchronised() {}

    private static MethodHandle find(String... names) {
        MethodType type = MethodType.methodType(Object.class, Object.class, long.class);
        for (String name : names) {
            try {
                return MethodHandles.lookup().findVirtual(Unsafe.class, name, type).bindTo(U);
            } catch (ReflectiveOperationException another) {
                // The other one.
            }
        }
        throw new IllegalStateException("there is no way to read a reference");
    }

    static boolean is(Object object) {
        return object != null && COLLECTIONS.get(object.getClass());
    }

    /** Whether it is a parallel stream of the JDK: who has streams of its own is not asked. */
    static boolean isParallel(Object object) {
        return object instanceof BaseStream && object.getClass().getClassLoader() == null
                && ((BaseStream<?, ?>) object).isParallel();
    }

    /**
     * Conditions and the two locks of one share with their lock what they synchronise by; so do
     * views and iterators of a collection with that.
     */
    static Object by(Object object) {
        Object by = object;
        // A part of a view of a map is as far from the map as it gets.
        for (int depth = 0; by != null && depth < 4; depth++) {
            long at = BY.get(by.getClass());
            Object found = at == 0 ? null : reference(by, at);
            if (found == null) {
                break;
            }
            by = found;
        }
        return by;
    }

    /** The thread that has a lock; null for none, or if that is not known. */
    static Thread owner(Object lock) {
        return lock instanceof AbstractOwnableSynchronizer && OWNER != 0
            ? (Thread) reference(lock, OWNER) : null;
    }

    private static long ownerOffset() {
        try {
            return U.objectFieldOffset(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");
        } catch (RuntimeException | InternalError unknown) {
            return 0;
        }
    }

    /** What an object refers to at an offset. */
    static Object reference(Object object, long at) {
        try {
            return (Object) REFERENCE.invokeExact(object, at);
        } catch (Throwable impossible) {
            return null;
        }
    }
}
