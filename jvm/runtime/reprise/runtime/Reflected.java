package reprise.runtime;

import java.lang.reflect.Field;
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
        set(r, field.getDeclaringClass(), Declared.of(field), object, site);
    }

    static void set(Recorder r, Class<?> type, Declared field, Object object, int site) {
        ClassInfo owner = ClassInfo.of(type);
        if (owner.space != ClassInfo.INSIDE || (r.level & 1) != 0) {
            return;
        }
        // Before the event begins: where the field is may have to be asked for.
        Adopted.Field place = field.place(type);
        if (r.inWrite(site(site, type, field))) {
            if (!field.isStatic) {
                r.value(object);
            }
            place.write(r, object);
            r.end();
            Found.held(place.reference(object));
        }
    }

    /** An object that had no number yet was found in a field. */
    static void got(Recorder r, Object value, Field field, Object object, int site) {
        got(r, value, field.getDeclaringClass(), Declared.of(field), object, site);
    }

    static void got(Recorder r, Object value, Class<?> type, Declared field, Object object, int site) {
        ClassInfo owner = ClassInfo.of(type);
        if (owner.space == ClassInfo.INSIDE && (r.level & 1) == 0
                && r.inWrite(site(site, type, field))) {
            if (!field.isStatic) {
                r.value(object);
            }
            r.value(value);
            r.end();
            Found.held(value);
        }
    }

    private static int site(int site, Class<?> type, Declared field) {
        String key = site + " " + ClassInfo.of(type).number + " " + field.name;
        Integer own = SITES.get(key);
        if (own == null) {
            own = Native.fieldSite(site, type, field.name, field.descriptor, field.isStatic);
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
