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
        if (r.inWrite(site(site, owner, field))) {
            if (!Modifier.isStatic(field.getModifiers())) {
                r.value(object);
            }
            new Adopted.Field(owner.number, field).write(r, object);
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
