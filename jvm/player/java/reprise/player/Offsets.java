package reprise.player;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the inside does with {@code sun.misc.Unsafe} to its own fields and to arrays.
 * Fields are elsewhere in this JVM: where the inside asks for the offset of one, it
 * is told the one here. Nothing else within an object can be reached.
 */
final class Offsets {
    private final Replay replay;
    /** The offsets that the inside was told, by the class that has the field. */
    private final Map<Class<?>, Set<Long>> told = new ConcurrentHashMap<>();
    private final Map<String, MethodHandle> handles = new ConcurrentHashMap<>();

    Offsets(Replay replay) {
        this.replay = replay;
    }

    /** Whether there is something of the inside at an offset. */
    boolean isInside(Object object, long at) {
        if (object == null) {
            return false;
        }
        Class<?> type = object.getClass();
        if (type.isArray()) {
            return true;
        }
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            if (told.getOrDefault(c, Set.of()).contains(at)) {
                return true;
            }
        }
        return false;
    }

    /** Does what the call would have done. */
    Object use(Site site, Object[] all) {
        if (all[1].getClass().isArray()) {
            check(all, site);
        }
        return invoke(site.name, site.descriptor, all);
    }

    private Object invoke(String name, String descriptor, Object... all) {
        try {
            MethodHandle handle = handles.get(name + descriptor);
            if (handle == null) {
                MethodType type = MethodType.fromMethodDescriptorString(descriptor, null);
                handle = Memory.lookup().findVirtual(all[0].getClass(), name, type);
                handle = handle.asType(handle.type().generic())
                    .asSpreader(Object[].class, all.length);
                handles.put(name + descriptor, handle);
            }
            return (Object) handle.invokeExact(all);
        } catch (Throwable wrong) {
            throw new Unplayable("Unsafe." + name + " cannot be done: " + wrong);
        }
    }

    private int ask(Object unsafe, String name, Class<?> array) {
        return (Integer) invoke(name, "(Ljava/lang/Class;)I", unsafe, array);
    }

    /** A recording may come from a stranger: within the array, or not at all. */
    private void check(Object[] all, Site site) {
        Class<?> type = all[1].getClass();
        long at = (Long) all[2];
        long base = ask(all[0], "arrayBaseOffset", type);
        long scale = ask(all[0], "arrayIndexScale", type);
        long end = base + java.lang.reflect.Array.getLength(all[1]) * scale;
        char of = site.parameters.length > 2 ? site.parameters[2]
            : site.descriptor.charAt(site.descriptor.indexOf(')') + 1);
        boolean isReference = of == 'L' || of == '[';
        boolean fits = at >= base && at <= end - (isReference ? scale : length(of));
        if (!fits || isReference == type.getComponentType().isPrimitive()) {
            throw new Unplayable(site.title + " reaches beyond an array");
        }
    }

    private static int length(char type) {
        switch (type) {
            case 'J': case 'D': return 8;
            case 'I': case 'F': return 4;
            case 'C': case 'S': return 2;
            default: return 1;
        }
    }

    /** What a call has returned, as it is here. */
    Object here(Site site, Object[] all, Object recorded) {
        if (!site.owner.equals("sun/misc/Unsafe") || all.length != 2) {
            return recorded;
        }
        switch (site.name) {
            case "arrayBaseOffset": case "arrayIndexScale":
                return ask(all[0], site.name, (Class<?>) all[1]);
            case "objectFieldOffset": return offset(all[1], recorded);
            default: return recorded;
        }
    }

    private Object offset(Object asked, Object recorded) {
        if (!(asked instanceof Field)) {
            return recorded;
        }
        Field field = (Field) asked;
        Class<?> c = field.getDeclaringClass();
        Type type = c == null ? null : replay.types.of(c);
        if (type == null || !type.inside) {
            return recorded;
        }
        long at = Memory.offset(field);
        told.computeIfAbsent(c, of -> ConcurrentHashMap.newKeySet()).add(at);
        return at;
    }
}
