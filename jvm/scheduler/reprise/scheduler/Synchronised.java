package reprise.scheduler;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;

import jdk.internal.misc.Unsafe;

/** Which objects of the JDK synchronise by themselves, and which do it by another one. */
final class Synchronised {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final String LOCKS = "java.util.concurrent.locks.";

    /** Whether a collection does. */
    private static final ClassValue<Boolean> COLLECTIONS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            String name = type.getName();
            return name.startsWith("java.util.concurrent.")
                    || name.startsWith("java.util.Collections$Synchronized")
                    || name.equals("java.util.Vector") || name.equals("java.util.Stack")
                    || name.equals("java.util.Hashtable") || name.equals("java.util.Properties");
        }
    };

    /** Where an object has the one by which it does; 0 for itself. */
    private static final ClassValue<Long> BY = new ClassValue<>() {
        @Override
        protected Long computeValue(Class<?> type) {
            for (Class<?> above = type; above != null; above = above.getSuperclass()) {
                String name = above.getName();
                if (!name.startsWith(LOCKS)) {
                    continue;
                }
                boolean condition = name.endsWith("$ConditionObject");
                boolean lock = name.equals(LOCKS + "ReentrantLock")
                        || name.startsWith(LOCKS + "ReentrantReadWriteLock");
                if (condition || lock) {
                    try {
                        return U.objectFieldOffset(above, condition ? "this$0" : "sync");
                    } catch (RuntimeException | InternalError unknown) {
                        return 0L;
                    }
                }
            }
            return 0L;
        }
    };

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

    /** Conditions and the two locks of one share with their lock what they synchronise by. */
    static Object by(Object object) {
        if (object == null) {
            return null;
        }
        long at = BY.get(object.getClass());
        if (at == 0) {
            return object;
        }
        Object found = reference(object, at);
        return found == null ? object : found;
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
