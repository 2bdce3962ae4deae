package reprise.runtime;

import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Inside fields that the outside reaches by reflection, handles and offsets. */
final class Reflected {
    /** Sites by where the call is and what it wrote to. */
    private static final ConcurrentHashMap<String, Integer> SITES = new ConcurrentHashMap<>();
    private static final Set<String> NAMED = ConcurrentHashMap.newKeySet();

    private Reflected() {}

    /** A field was set. */
    static void set(Recorder r, Field field, Object object, int site) {
        ClassInfo owner = ClassInfo.of(field.getDeclaringClass());
        if (owner.space != ClassInfo.INSIDE || (r.level & 1) != 0) {
            return;
        }
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        int own = site(site, owner, field);
        Object value = isStatic ? read(field) : null;
        if (r.inWrite(own)) {
            if (isStatic) {
                write(r, field.getType(), value);
            } else {
                r.value(object);
                new Adopted.Field(owner.number, field).write(r, object);
            }
            r.end();
        }
    }

    /** An object that had no number yet was found in a field. */
    static void got(Recorder r, Object value, Field field, Object object, int site) {
        ClassInfo owner = ClassInfo.of(field.getDeclaringClass());
        if (owner.space == ClassInfo.INSIDE && (r.level & 1) == 0
                && r.inWrite(site(site, owner, field))) {
            if (!Modifier.isStatic(field.getModifiers())) {
                r.value(object);
            }
            r.value(value);
            r.end();
            Found.found(value);
        }
    }

    private static int site(int site, ClassInfo owner, Field field) {
        String key = site + " " + owner.number + " " + field.getName();
        Integer own = SITES.get(key);
        if (own == null) {
            String type = MethodType.methodType(field.getType())
                .toMethodDescriptorString().substring(2);
            own = Native.fieldSite(site, field.getDeclaringClass(), field.getName(), type,
                Modifier.isStatic(field.getModifiers()));
            SITES.put(key, own);
        }
        return own;
    }

    /** A static field: whoever could write it can read it. */
    private static Object read(Field field) {
        try {
            return field.get(null);
        } catch (IllegalAccessException notOurs) {
            throw new IllegalStateException(notOurs);
        }
    }

    private static void write(Recorder r, Class<?> type, Object value) {
        if (!type.isPrimitive()) {
            r.value(value);
        } else if (type == boolean.class) {
            r.value(((Boolean) value).booleanValue());
        } else if (type == byte.class) {
            r.value(((Byte) value).byteValue());
        } else if (type == char.class) {
            r.value(((Character) value).charValue());
        } else if (type == short.class) {
            r.value(((Short) value).shortValue());
        } else if (type == int.class) {
            r.value(((Integer) value).intValue());
        } else if (type == long.class) {
            r.value(((Long) value).longValue());
        } else if (type == float.class) {
            r.value(((Float) value).floatValue());
        } else {
            r.value(((Double) value).doubleValue());
        }
    }

    /** Something was made that can write to a field. */
    static void reaches(Class<?> owner, String field) {
        for (Class<?> c = owner; c != null; c = c.getSuperclass()) {
            if (ClassInfo.of(c).space == ClassInfo.INSIDE) {
                String name = owner.getName() + "." + field;
                if (NAMED.add(name)) {
                    Native.left(name, "the outside has a handle that can write to it unseen");
                }
                return;
            }
        }
    }
}
