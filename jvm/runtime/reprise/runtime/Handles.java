package reprise.runtime;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The handles for inside fields, and for elements of arrays: VarHandles and field
 * updaters. What the inside does by those that it has made itself is done inside,
 * and in the same order as what is done to the fields directly. What the outside
 * does by any of them is a write to the field.
 */
final class Handles {
    /** Instead of a stripe: the array has it. */
    private static final int ELEMENTS = Integer.MAX_VALUE;
    private static final Handle[] NONE = {};

    private static final class Handle extends WeakReference<Object> {
        final int hash;
        /** The field's; -1 for what the outside has made: to the inside it is an object like others. */
        final int stripe;
        /** The field, and who declares it; null for elements of arrays. */
        private final ClassInfo owner;
        final Declared field;
        final Handle next;

        Handle(Object handle, int stripe, ClassInfo owner, Declared field, Handle next) {
            super(handle);
            this.hash = System.identityHashCode(handle);
            this.stripe = stripe;
            this.owner = owner;
            this.field = field;
            this.next = next;
        }

        /** Who declares the field; null if it is none, or the class is gone. */
        Class<?> owner() {
            return owner == null ? null : owner.get();
        }
    }

    /** A program has few of them, and never stops having most. */
    private static volatile Handle[] known = NONE;

    private Handles() {}

    /** The stripe of what a handle is for; -1 when that is not inside. */
    static int stripe(Object handle) {
        Handle found = find(handle);
        return found == null ? -1 : found.stripe;
    }

    /** Whether a stripe says that the array has it that a handle is given. */
    static boolean isOfArray(int stripe) {
        return stripe == ELEMENTS;
    }

    /** The outside has written by a handle. */
    static void set(Object handle, Object object, int site) {
        Handle found = find(handle);
        Class<?> owner = found == null ? null : found.owner();
        if (owner != null) {
            Reflected.set(Recorders.current(), owner, found.field, object, site);
        }
    }

    /** The outside has found something by a handle. */
    static void got(Object value, Object handle, Object object, int site) {
        Handle found = find(handle);
        Class<?> owner = found == null ? null : found.owner();
        if (owner != null && Found.isUnmentioned(value)) {
            Reflected.got(Recorders.current(), value, owner, found.field, object, site);
        }
    }

    private static Handle find(Object handle) {
        Handle[] all = known;
        if (all == NONE) {
            return null;
        }
        int hash = System.identityHashCode(handle);
        for (Handle h = all[hash & all.length - 1]; h != null; h = h.next) {
            if (h.hash == hash && h.get() == handle) {
                return h;
            }
        }
        return null;
    }

    /** The inside has made a handle for a field. */
    static void made(Object handle, Class<?> owner, String name) {
        made(handle, owner, name, true);
    }

    /** The outside has. */
    static void madeOutside(Object handle, Class<?> owner, String name) {
        made(handle, owner, name, false);
    }

    private static void made(Object handle, Class<?> owner, String name, boolean inside) {
        if (handle == null || owner == null || name == null) {
            return;
        }
        for (Class<?> c = owner; c != null && c != Object.class; c = c.getSuperclass()) {
            Declared field = Declared.find(c, name);
            if (field != null) {
                ClassInfo info = ClassInfo.of(c);
                if (info.space == ClassInfo.INSIDE) {
                    int stripe = inside ? stripe(c.getName().replace('.', '/') + name) : -1;
                    add(handle, stripe, info, field);
                }
                return;
            }
        }
    }

    /** A handle was made for the elements of arrays. */
    static void made(Object handle) {
        if (handle != null) {
            add(handle, ELEMENTS, null, null);
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

    /** The stripe of what is in an object at an offset; -1 when that is not inside. */
    static int stripe(Object object, long at) {
        for (Class<?> c = object.getClass(); c != Object.class; c = c.getSuperclass()) {
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

    private static synchronized void add(Object handle, int stripe, ClassInfo owner, Declared field) {
        Handle[] all = known == NONE ? new Handle[256] : Arrays.copyOf(known, known.length);
        int slot = System.identityHashCode(handle) & all.length - 1;
        all[slot] = new Handle(handle, stripe, owner, field, all[slot]);
        known = all;
    }
}
