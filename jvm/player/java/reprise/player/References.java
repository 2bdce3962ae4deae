package reprise.player;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import jdk.internal.misc.Unsafe;

/** Reading and writing references: Java 12 has given the methods other names. */
final class References {
    private static final MethodHandle GET = find("getReference", "getObject",
        MethodType.methodType(Object.class, Object.class, long.class));
    private static final MethodHandle PUT = find("putReference", "putObject",
        MethodType.methodType(void.class, Object.class, long.class, Object.class));

    private References() {}

    private static MethodHandle find(String name, String before, MethodType type) {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (String candidate : new String[] {name, before}) {
            try {
                return lookup.findVirtual(Unsafe.class, candidate, type)
                    .bindTo(Unsafe.getUnsafe());
            } catch (ReflectiveOperationException another) {
                // The other one, then.
            }
        }
        throw new Unplayable("this JVM cannot " + name);
    }

    static Object get(Object o, long at) {
        try {
            return (Object) GET.invokeExact(o, at);
        } catch (Throwable wrong) {
            throw new Unplayable("a reference cannot be read: " + wrong);
        }
    }

    static void put(Object o, long at, Object value) {
        try {
            PUT.invokeExact(o, at, value);
        } catch (Throwable wrong) {
            throw new Unplayable("a reference cannot be written: " + wrong);
        }
    }
}
