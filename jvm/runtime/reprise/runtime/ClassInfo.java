package reprise.runtime;

import java.lang.ref.WeakReference;
import java.util.Arrays;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What the runtime knows of a class, looked up once and kept with the class.
 *
 * It refers to the class, but does not keep it alive. The JDK's way of looking
 * up follows eight pointers; comparing a class with that of the info which was
 * right the last time follows three, and the processor need not wait for the
 * answer.
 */
final class ClassInfo extends WeakReference<Class<?>> {
    /** An object of the program whose number is in its own field. */
    static final int NUMBERED = 0;
    /** An object whose number is in a map. */
    static final int PLAIN = 1;
    /** A boxed scalar. */
    static final int BOX = 2;
    /** A class object, by value. */
    static final int CLASS = 3;
    /** A constant of an enum, by value: either side can read it from a field. */
    static final int ENUM = 4;
    /** An immutable JDK value that its text determines. */
    static final int TEXT = 5;

    /** A string, by value. */
    static final int STRING = 6;

    private static final int[] NONE = {};

    static final int OUTSIDE = 0;
    static final int INSIDE = 1;
    static final int ARRAY = 3;

    /** The name of the injected field, as jvm/probes/src/identity.rs has it. */
    static final String FIELD = "reprise$number";

    private static final ClassValue<ClassInfo> KNOWN = new ClassValue<ClassInfo>() {
        @Override
        protected ClassInfo computeValue(Class<?> type) {
            return new ClassInfo(type);
        }
    };

    /**
     * The class, if it is one that the JVM never unloads, else null. Asking a weak reference keeps
     * the compiler from carrying anything past it in registers.
     */
    private final Class<?> kept;

    final int number;
    final int space;
    final int kind;
    /** For a box, the type of its scalar. */
    final int type;
    /** Where the number is in an object, for {@link #NUMBERED}. */
    final long offset;

    /**
     * For an inside object whose number is in the map: it can be copied unseen, or its class has no
     * field for it. That of a lambda, which has none either, is not meant.
     */
    final boolean copies;

    /** It is the hidden class of a function that no instruction of the inside has made. */
    final boolean isForeign;
    /** For the hidden class of a method reference: what it calls is outside. */
    volatile boolean refersOutside;
    volatile boolean refersKnown;

    /** The same where the receiver of what it calls decides: the site of that; 0 for none. */
    private volatile int target;
    /** Where it has captured that receiver; 0 if that is its first argument. */
    private volatile long captured;

    void refersBy(int site, boolean isCaptured) {
        Class<?> type = get();
        if (target != 0 || type == null) {
            return;
        }
        try {
            // As the JDK's lambdas have it.
            captured = isCaptured ? Ring.U.objectFieldOffset(type.getDeclaredField("arg$1")) : 0;
            target = site;
        } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
            Native.left(type.getName(), "it is not known what it refers to: " + unknown);
        }
    }

    int target() {
        return target;
    }

    boolean isByCaptured() {
        return captured != 0;
    }

    Object captured(Object function) {
        return Adopted.reference(function, captured);
    }

    /** The number of the class itself as a value, plus one; 0 when it has none. */
    volatile int asValue;
    /** Those of its constants, plus one, by ordinal, for {@link #ENUM}. */
    volatile int[] constants = NONE;

    /** Where the inside was told that fields are, each with its stripe below. */
    private volatile long[] located;

    synchronized void locate(long at, int stripe) {
        if (stripe(at) < 0) {
            long[] before = located;
            int count = before == null ? 0 : before.length;
            long[] after = before == null ? new long[1] : Arrays.copyOf(before, count + 1);
            after[count] = at << 6 | stripe;
            located = after;
        }
    }

    /** The stripe of a field; -1 when nobody asked where it is. */
    int stripe(long at) {
        long[] all = located;
        for (int i = 0; all != null && i < all.length; i++) {
            if (all[i] >> 6 == at) {
                return (int) all[i] & 63;
            }
        }
        return -1;
    }

    /** Whether most calls on such an object run for real: strings, boxes and the like. */
    boolean isValue() {
        return kind == BOX || kind == TEXT || kind == STRING;
    }

    /** Those that were asked for last, by the identity of their classes. Any thread may write over any. */
    private static final ClassInfo[] LATEST = new ClassInfo[1 << 10];

    @ForceInline
    static ClassInfo of(Class<?> type) {
        ClassInfo info = LATEST[System.identityHashCode(type) & LATEST.length - 1];
        return info != null && info.isOf(type) ? info : known(type);
    }

    /**
     * The class of a function that an instruction of the inside has just made. Others that the
     * JDK makes for an inside class, as when that asks for one itself, are the JDK's own.
     */
    static ClassInfo ofFunction(Class<?> type) {
        ClassInfo info = LATEST[System.identityHashCode(type) & LATEST.length - 1];
        return info != null && info.isOf(type) ? info : knownFunction(type);
    }

    /** The class of a function that an instruction has made, while that is looked at. */
    private static volatile Class<?> made;

    @DontInline
    private static ClassInfo knownFunction(Class<?> type) {
        synchronized (LATEST) {
            made = type;
            try {
                return known(type);
            } finally {
                made = null;
            }
        }
    }

    /** Whether a class is the hidden one of a lambda or method reference. */
    private static boolean isFunction(Class<?> c) {
        String name = c.getName();
        return c.isSynthetic() && name.indexOf('/') > 0 && name.contains("$$Lambda");
    }

    @ForceInline
    boolean isOf(Class<?> type) {
        return kept == type || kept == null && get() == type;
    }

    @DontInline
    private static ClassInfo known(Class<?> type) {
        ClassInfo info = KNOWN.get(type);
        LATEST[System.identityHashCode(type) & LATEST.length - 1] = info;
        return info;
    }

    private ClassInfo(Class<?> c) {
        super(c);
        kept = isForEver(c) ? c : null;
        isForeign = isFunction(c) && made != c;
        long info = Native.classInfo(c, isForeign);
        boolean inside = (info & 1) != 0;
        number = (int) (info >> 2);
        space = c.isArray() ? ARRAY : inside ? INSIDE : OUTSIDE;
        // The JVM must not be asked about the fields of an array.
        offset = c.isArray() ? 0 : offset(c);
        type = Values.boxed(c);
        boolean unseen = offset != 0 && Cloneable.class.isAssignableFrom(c) && isCopiedUnseen(c);
        copies = inside && !c.isArray()
            && (offset == 0 ? c.getName().indexOf('/') < 0 : unseen);
        kind = Enum.class.isAssignableFrom(c) && c != Enum.class ? ENUM
            : offset != 0 && !unseen ? NUMBERED
            : type != Type.VOID ? BOX
            : c == String.class ? STRING
            : c == Class.class ? CLASS
            : Values.isText(c) ? TEXT
            : PLAIN;
    }

    /** Whether a class lives as long as the JVM: that of a loader which does, and not a hidden one. */
    private static boolean isForEver(Class<?> c) {
        ClassLoader loader = c.getClassLoader();
        boolean own = loader == null
            || loader.getClass().getName().startsWith("jdk.internal.loader.ClassLoaders$");
        return own && c.getName().indexOf('/') < 0;
    }

    /**
     * Whether something can copy such an object with its number: the JDK by itself, where it is one of
     * its classes that can be cloned, or a class without {@link Probe#copied}.
     */
    private static boolean isCopiedUnseen(Class<?> c) {
        for (Class<?> type = c; type != null; type = type.getSuperclass()) {
            ClassLoader loader = type.getClassLoader();
            boolean ofJdk = loader == null || loader == ClassLoader.getPlatformClassLoader();
            if (ofJdk ? Cloneable.class.isAssignableFrom(type)
                    : type.getName().indexOf('/') >= 0 || (Native.classInfo(type, false) & 2) != 0) {
                return true;
            }
        }
        return false;
    }

    private static long offset(Class<?> c) {
        // Those of the JDK are last.
        for (Class<?> type = c; type != null && type.getClassLoader() != null; type = type.getSuperclass()) {
            try {
                return Ring.U.objectFieldOffset(type, FIELD);
            } catch (InternalError notThere) {
                // A superclass may have it.
            }
        }
        return 0;
    }
}
