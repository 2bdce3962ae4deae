package reprise.runtime;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The handles by which the inside uses its own fields and arrays: VarHandles and
 * field updaters that it has made. What they do is done inside, and in the same
 * order as what is done to the fields directly.
 */
final class Handles {
    /** The stripe of arrays' elements, which have no names. */
    private static final int ELEMENTS = 63;

    private static final class Handle extends WeakReference<Object> {
        final int hash;
        final int stripe;
        final Handle next;

        Handle(Object handle, int hash, int stripe, Handle next) {
            super(handle);
            this.hash = hash;
            this.stripe = stripe;
            this.next = next;
        }
    }

    /** A program has few of them, and never stops having most. */
    private static volatile Handle[] known = new Handle[256];

    private Handles() {}

    /** The stripe of what a handle is for; -1 when that is not inside. */
    static int stripe(Object handle) {
        int hash = System.identityHashCode(handle);
        Handle[] all = known;
        for (Handle h = all[hash & all.length - 1]; h != null; h = h.next) {
            if (h.hash == hash && h.get() == handle) {
                return h.stripe;
            }
        }
        return -1;
    }

    /** A handle was made for a field. */
    static void made(Object handle, Class<?> owner, String name) {
        if (handle == null || owner == null || name == null) {
            return;
        }
        for (Class<?> c = owner; c != null && c != Object.class; c = c.getSuperclass()) {
            if (declares(c, name)) {
                if (ClassInfo.of(c).space == ClassInfo.INSIDE) {
                    add(handle, stripe(c.getName().replace('.', '/') + name));
                }
                return;
            }
        }
    }

    private static boolean declares(Class<?> c, String name) {
        try {
            c.getDeclaredField(name);
            return true;
        } catch (NoSuchFieldException | LinkageError above) {
            return false;
        }
    }

    /** A handle was made for the elements of arrays. */
    static void made(Object handle) {
        if (handle != null) {
            add(handle, ELEMENTS);
        }
    }

    /** It was said where in its objects a field is. */
    static void made(long at, Field field) {
        ClassInfo info = ClassInfo.of(field.getDeclaringClass());
        if (info.space == ClassInfo.INSIDE) {
            String name = field.getDeclaringClass().getName().replace('.', '/') + field.getName();
            info.locate(at, stripe(name));
        }
    }

    /** The stripe of what is in an object or array at an offset; -1 when that is not inside. */
    static int stripe(Object object, long at) {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            return ELEMENTS;
        }
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            int stripe = ClassInfo.of(c).stripe(at);
            if (stripe >= 0) {
                return stripe;
            }
        }
        return -1;
    }

    /** As jvm/probes/src/order.rs has it. */
    static int stripe(String field) {
        int sum = 17;
        for (byte b : field.getBytes(StandardCharsets.UTF_8)) {
            sum = sum * 31 + (b & 0xff);
        }
        return sum & 63;
    }

    private static synchronized void add(Object handle, int stripe) {
        int hash = System.identityHashCode(handle);
        Handle[] all = Arrays.copyOf(known, known.length);
        int slot = hash & all.length - 1;
        all[slot] = new Handle(handle, hash, stripe, all[slot]);
        known = all;
    }
}
