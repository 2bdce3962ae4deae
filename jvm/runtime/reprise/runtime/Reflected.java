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
        String key = site + " " + owner.number + " " + field.getName();
        Integer own = SITES.get(key);
        if (own == null) {
            String type = MethodType.methodType(field.getType())
                .toMethodDescriptorString().substring(2);
            own = Native.fieldSite(site, field.getDeclaringClass(), field.getName(), type, isStatic);
            SITES.put(key, own);
        }
        if (r.inWrite(own)) {
            if (isStatic) {
                new Adopted.Field(field, Ring.U.staticFieldOffset(field))
                    .write(r, Ring.U.staticFieldBase(field));
            } else {
                r.value(object);
                new Adopted.Field(owner.number, field).write(r, object);
            }
            r.end();
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
