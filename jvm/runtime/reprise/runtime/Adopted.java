package reprise.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * Inside objects that no recorded constructor has made: deserialised, copied or
 * made by the JVM. A replay has them only if it is told what is in them.
 */
final class Adopted {
    /** A field that an inside class declares. */
    static final class Field {
        /** The number of the class. */
        final int type;
        final String name;
        final int kind;
        /** Where a static field is; null for others. */
        private final Object base;
        private final long offset;

        Field(int type, java.lang.reflect.Field field) {
            this.type = type;
            name = field.getName();
            kind = kind(Declared.descriptor(field.getType()));
            boolean isStatic = Modifier.isStatic(field.getModifiers());
            base = isStatic ? Ring.U.staticFieldBase(field) : null;
            offset = isStatic ? Ring.U.staticFieldOffset(field) : Ring.U.objectFieldOffset(field);
        }

        /** The same of an object; asks for no type. */
        Field(int type, Class<?> owner, Declared field) {
            this.type = type;
            name = field.name;
            kind = kind(field.descriptor);
            base = null;
            offset = Ring.U.objectFieldOffset(owner, name);
        }

        private static int kind(String descriptor) {
            switch (descriptor.charAt(0)) {
                case 'Z': return Type.BOOLEAN;
                case 'B': return Type.BYTE;
                case 'C': return Type.CHAR;
                case 'S': return Type.SHORT;
                case 'I': return Type.INT;
                case 'J': return Type.LONG;
                case 'F': return Type.FLOAT;
                case 'D': return Type.DOUBLE;
                default: return Type.REFERENCE;
            }
        }

        /** The object in it; null where it is none. */
        Object reference(Object object) {
            return kind == Type.REFERENCE ? Adopted.reference(base == null ? object : base, offset) : null;
        }

        /** What is in the field of an object, or in a static one. */
        void write(Recorder r, Object object) {
            Object o = base == null ? object : base;
            switch (kind) {
                case Type.BOOLEAN: r.value(Ring.U.getBoolean(o, offset)); break;
                case Type.BYTE: r.value(Ring.U.getByte(o, offset)); break;
                case Type.CHAR: r.value(Ring.U.getChar(o, offset)); break;
                case Type.SHORT: r.value(Ring.U.getShort(o, offset)); break;
                case Type.INT: r.value(Ring.U.getInt(o, offset)); break;
                case Type.LONG: r.value(Ring.U.getLong(o, offset)); break;
                case Type.FLOAT: r.value(Ring.U.getFloat(o, offset)); break;
                case Type.DOUBLE: r.value(Ring.U.getDouble(o, offset)); break;
                default: r.value(Adopted.reference(o, offset)); break;
            }
        }
    }

    /** Reads a reference: Java 12 has given the method another name. */
    private static final MethodHandle REFERENCE = find("getReference", "getObject");

    static Object reference(Object o, long offset) {
        try {
            return (Object) REFERENCE.invokeExact(o, offset);
        } catch (Throwable unknown) {
            return null;
        }
    }

    private static MethodHandle find(String... names) {
        MethodType type = MethodType.methodType(Object.class, Object.class, long.class);
        for (String name : names) {
            try {
                return MethodHandles.lookup().findVirtual(Ring.U.getClass(), name, type)
                    .bindTo(Ring.U);
            } catch (ReflectiveOperationException another) {
                // The other one, then.
            }
        }
        return null;
    }

    private static final Field[] NONE = {};

    private static final ClassValue<Field[]> FIELDS = new ClassValue<Field[]>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
            try {
                return find(type);
            } catch (LinkageError | RuntimeException unknown) {
                Native.left(type.getName(), "what is in its objects is not known: " + unknown);
                return NONE;
            }
        }
    };

    private Adopted() {}

    static Field[] fields(Object o) {
        return FIELDS.get(o.getClass());
    }

    private static Field[] find(Class<?> type) {
        List<Field> found = new ArrayList<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            ClassInfo info = ClassInfo.of(c);
            if (info.space != ClassInfo.INSIDE) {
                continue;
            }
            for (Declared field : Declared.of(c)) {
                if (!field.isStatic && !field.name.equals(ClassInfo.FIELD)) {
                    found.add(field.place(c));
                }
            }
        }
        return found.toArray(NONE);
    }
}
