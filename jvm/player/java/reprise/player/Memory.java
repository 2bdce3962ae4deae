package reprise.player;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;

/** Objects without their constructors. */
final class Memory {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long NAME = U.objectFieldOffset(Enum.class, "name");
    private static final long ORDINAL = U.objectFieldOffset(Enum.class, "ordinal");

    private Memory() {}

    static Object allocate(Class<?> c) {
        try {
            return U.allocateInstance(c);
        } catch (InstantiationException wrong) {
            throw new Unplayable("no object of " + c.getName() + " can be made");
        }
    }

    static long offset(Field field) {
        return U.objectFieldOffset(field);
    }

    /** A lookup that may do anything; {@code in} a class it is as that class's own. */
    static MethodHandles.Lookup lookup() throws NoSuchFieldException {
        Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        return (MethodHandles.Lookup) References.get(U.staticFieldBase(field),
            U.staticFieldOffset(field));
    }

    static void initialise(Class<?> c) {
        U.ensureClassInitialized(c);
    }

    static void setEnum(Object constant, String name, int ordinal) {
        References.put(constant, NAME, name);
        U.putInt(constant, ORDINAL, ordinal);
    }

    /** The descriptor of a type. */
    static String descriptor(Class<?> type) {
        return MethodType.methodType(type).toMethodDescriptorString().substring(2);
    }

    /** The object in a field of a reference type; null for others. */
    static Object get(Object o, Field field) {
        if (field.getType().isPrimitive()) {
            return null;
        }
        if (Modifier.isStatic(field.getModifiers())) {
            U.ensureClassInitialized(field.getDeclaringClass());
            return References.get(U.staticFieldBase(field), U.staticFieldOffset(field));
        }
        return References.get(o, U.objectFieldOffset(field));
    }

    /** Makes one object what another of its class is. */
    static void copy(Object from, Object to) {
        for (Class<?> c = from.getClass(); c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    copy(from, to, U.objectFieldOffset(field), field.getType());
                }
            }
        }
    }

    private static void copy(Object from, Object to, long at, Class<?> type) {
        if (!type.isPrimitive()) {
            References.put(to, at, References.get(from, at));
        } else if (type == long.class || type == double.class) {
            U.putLong(to, at, U.getLong(from, at));
        } else if (type == int.class || type == float.class) {
            U.putInt(to, at, U.getInt(from, at));
        } else if (type == short.class || type == char.class) {
            U.putShort(to, at, U.getShort(from, at));
        } else {
            U.putByte(to, at, U.getByte(from, at));
        }
    }
}
