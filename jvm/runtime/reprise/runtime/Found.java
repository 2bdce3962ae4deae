package reprise.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

import jdk.internal.vm.annotation.DontInline;

/**
 * What outside classes find in inside fields, and in arrays of inside objects. An object that was never
 * mentioned gets its number there: as if what is in the field had been written again.
 */
final class Found {
    private Found() {}

    @DontInline
    static void inField(Object receiver, Object v, int site) {
        if (isUnmentioned(v) && !Fixed.leaves(receiver.getClass(), site)) {
            Recorder r = Recorders.current();
            if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); held(v); }
        }
    }

    @DontInline
    static void inStatic(Object v, int site) {
        if (isUnmentioned(v)) {
            Recorder r = Recorders.current();
            if (r.inWrite(site)) { r.value(v); r.end(); held(v); }
        }
    }

    @DontInline
    static void inArray(Object array, int index, Object v, int site) {
        if (isUnmentioned(v) && Ids.isKnown(array)) {
            Recorder r = Recorders.current();
            int own = Native.fieldSite(site, array.getClass(), "[" + index + "]",
                "Ljava/lang/Object;", false);
            if (r.inWrite(own)) { r.namesOnly(); r.value(array); r.value(v); r.end(); held(v); }
        }
    }

    /** What an inside field has, and the outside: to an array it may write from now on. */
    static void held(Object v) {
        if (v != null && v.getClass().isArray()) {
            Watched.add(v);
        }
    }

    static boolean isUnmentioned(Object o) {
        if (o == null) {
            return false;
        }
        ClassInfo info = ClassInfo.of(o.getClass());
        return info.kind == ClassInfo.NUMBERED
            ? info.space == ClassInfo.INSIDE && Ring.U.getLong(o, info.offset) == 0
            : info.kind == ClassInfo.PLAIN && (info.space != ClassInfo.OUTSIDE || isMadeUnseen(o))
                && !Ids.isKnown(o);
    }

    /**
     * Whether the inside may have made an object of an outside class without an event: one
     * that has nothing to it but that it is, what the JVM throws, and its constants. All
     * others have a number from the moment on at which the inside knows them.
     */
    static boolean isMadeUnseen(Object o) {
        return o.getClass() == Object.class || o instanceof Throwable
            || o instanceof MethodHandle || o instanceof MethodType;
    }
}
