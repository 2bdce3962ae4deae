package reprise.scheduler;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import jdk.internal.misc.Unsafe;

/**
 * Parks threads of the JVM and lets them go on, whatever the scheduler thinks of it. A virtual
 * thread leaves its carrier for that: others may need it.
 */
final class Really {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What virtual threads are; null where there are none. */
    private static Class<?> virtual;
    /** What the JDK does with them. */
    private static MethodHandle parks;
    private static MethodHandle parksFor;
    private static MethodHandle unparks;

    private Really() {}

    /** Before anything is parked; and whether threads will wait for their turn. */
    static void prepare(boolean turns) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType nothing = MethodType.methodType(void.class);
            Class<?> found = Class.forName("java.lang.BaseVirtualThread", true, null);
            Class<?> type = Class.forName("jdk.internal.access.JavaLangAccess", true, null);
            Class<?> secrets = Class.forName("jdk.internal.access.SharedSecrets", true, null);
            Object access = lookup.findStatic(secrets, "getJavaLangAccess", MethodType.methodType(type))
                    .invoke();
            parks = lookup.findVirtual(type, "parkVirtualThread", nothing).bindTo(access);
            parksFor = lookup.findVirtual(type, "parkVirtualThread",
                    nothing.appendParameterTypes(long.class)).bindTo(access);
            unparks = lookup.findVirtual(type, "unparkVirtualThread",
                    nothing.appendParameterTypes(Thread.class)).bindTo(access);
            virtual = found;
        } catch (Throwable none) {
            // A release without them.
            virtual = null;
        }
        String parallelism = "jdk.virtualThreadScheduler.parallelism";
        if (turns && virtual != null && System.getProperty(parallelism) == null) {
            // Who waits for its turn in a monitor may keep its carrier, and so does who finds
            // a monitor taken.
            System.setProperty(parallelism, "256");
            System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", "256");
        }
    }

    private static boolean isVirtual(Object thread) {
        return virtual != null && virtual.isInstance(thread);
    }

    /** Parks the calling thread, as {@code Unsafe.park} does. */
    static void park(boolean absolute, long time) {
        if (!isVirtual(Thread.currentThread())) {
            U.park(absolute, time);
            return;
        }
        long nanos = absolute ? Math.max(0, time - System.currentTimeMillis()) * 1_000_000 : time;
        try {
            if (!absolute && time == 0) {
                parks.invokeExact();
            } else if (nanos > 0) {
                parksFor.invokeExact(nanos);
            }
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    static void unpark(Object thread) {
        if (!isVirtual(thread)) {
            U.unpark(thread);
            return;
        }
        try {
            unparks.invokeExact((Thread) thread);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }
}
