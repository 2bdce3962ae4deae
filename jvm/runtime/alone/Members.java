package reprise.runtime;

import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Who declares what a site names, as the agent asks the JVM: of classes in the instrumented jar it
 * is known, of others reflection says it.
 */
final class Members {
    private static final int GETSTATIC = 178;
    private static final int PUTSTATIC = 179;
    private static final int GETFIELD = 180;
    private static final int PUTFIELD = 181;
    private static final int INVOKESPECIAL = 183;
    private static final int INVOKESTATIC = 184;
    private static final String NATIVE = "!";

    private static final ClassValue<Set<String>> DECLARED = new ClassValue<Set<String>>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Tables.File file = Tables.file(Catalog.name(type));
            return file != null ? file.members : reflected(type);
        }
    };

    private Members() {}

    static boolean leaves(Class<?> type, int number) {
        Tables.Site site = Tables.site(number);
        if (site == null) {
            return false;
        }
        if (site.opcode == GETSTATIC || site.opcode == PUTSTATIC || site.opcode == INVOKESTATIC) {
            return leavesStatic(type, site);
        }
        boolean isField = site.opcode == GETFIELD || site.opcode == PUTFIELD;
        String member = site.name + site.descriptor;
        Class<?> start = isField || site.opcode == INVOKESPECIAL ? above(type, site.owner) : type;
        Class<?> origin = start == null ? null : origin(start, member, isField);
        if (origin == null) {
            // Signature-polymorphic methods are declared nowhere as called.
            return !Catalog.isInside(site.owner);
        }
        return DECLARED.get(origin).contains(NATIVE + member) || !Catalog.isInside(Catalog.name(origin));
    }

    /** The class that a site names is loaded in a moment anyway. */
    private static boolean leavesStatic(Class<?> type, Tables.Site site) {
        Class<?> owner = above(type, site.owner);
        try {
            if (owner == null) {
                owner = Class.forName(site.owner.replace('/', '.'), false, type.getClassLoader());
            }
        } catch (ClassNotFoundException | LinkageError missing) {
            return true;
        }
        boolean isField = site.opcode != INVOKESTATIC;
        String member = site.name + site.descriptor;
        Class<?> origin = origin(owner, member, isField);
        return origin == null || !Catalog.isInside(Catalog.name(origin))
            || DECLARED.get(origin).contains(NATIVE + member);
    }

    static boolean refersOutside(Class<?> owner, int number) {
        Tables.Site site = Tables.site(number);
        if (site == null) {
            return false;
        }
        String member = site.name + site.descriptor;
        Class<?> origin = origin(owner, member, false);
        return origin != null && (!Catalog.isInside(Catalog.name(origin))
            || DECLARED.get(origin).contains(NATIVE + member));
    }

    static boolean declares(Class<?> type, int number) {
        Tables.Site site = Tables.site(number);
        return site != null && declares(type, site.name + site.descriptor);
    }

    /** The stripe of the volatile inside field that a site names; -1 when it names none. */
    static int stripe(int number) {
        Tables.Site site = Tables.site(number);
        Tables.File file = site == null ? null : Tables.file(site.owner);
        String field = site == null ? "" : site.name + site.descriptor;
        while (file != null && file.inside && !file.members.contains(field)) {
            file = Tables.file(file.superclass);
        }
        boolean isVolatile = file != null && file.inside && file.volatiles.contains(field);
        return isVolatile ? Handles.stripe(file.name + site.name) : -1;
    }

    /** Classes before interfaces, as resolution has it for methods; the other way for fields. */
    private static Class<?> origin(Class<?> type, String member, boolean isField) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (declares(c, member)) {
                return c;
            }
            if (isField) {
                Class<?> origin = inInterfaces(c, member);
                if (origin != null) {
                    return origin;
                }
            }
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Class<?> origin = inInterfaces(c, member);
            if (origin != null) {
                return origin;
            }
        }
        // Interfaces have the methods of Object.
        return type.isInterface() && declares(Object.class, member) ? Object.class : null;
    }

    private static Class<?> inInterfaces(Class<?> type, String member) {
        for (Class<?> i : type.getInterfaces()) {
            if (declares(i, member)) {
                return i;
            }
            Class<?> origin = inInterfaces(i, member);
            if (origin != null) {
                return origin;
            }
        }
        return null;
    }

    private static boolean declares(Class<?> type, String member) {
        Set<String> declared = DECLARED.get(type);
        return declared.contains(member) || declared.contains(NATIVE + member);
    }

    /** The supertype of that name, or the class itself. */
    private static Class<?> above(Class<?> type, String name) {
        Deque<Class<?>> open = new ArrayDeque<>();
        open.add(type);
        while (!open.isEmpty()) {
            Class<?> c = open.pop();
            if (Catalog.name(c).equals(name)) {
                return c;
            }
            Collections.addAll(open, c.getInterfaces());
            if (c.getSuperclass() != null) {
                open.add(c.getSuperclass());
            }
        }
        return null;
    }

    private static Set<String> reflected(Class<?> type) {
        Set<String> declared = new HashSet<>();
        try {
            for (Method m : type.getDeclaredMethods()) {
                String descriptor =
                    MethodType.methodType(m.getReturnType(), m.getParameterTypes()).toMethodDescriptorString();
                boolean isNative = Modifier.isNative(m.getModifiers());
                declared.add((isNative ? NATIVE : "") + m.getName() + descriptor);
            }
            for (Field f : type.getDeclaredFields()) {
                declared.add(f.getName() + MethodType.methodType(f.getType()).toMethodDescriptorString().substring(2));
            }
        } catch (LinkageError | RuntimeException unknown) {
            // A type in a signature is missing; then nobody can call it either.
        }
        return declared;
    }
}
