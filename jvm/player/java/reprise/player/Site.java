package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;

/** An instruction that may cross the boundary: of the recording, or of the classes that are played. */
final class Site {
    private static final int PUTSTATIC = 179;
    private static final int GETFIELD = 180;
    private static final int PUTFIELD = 181;
    private static final int INVOKESPECIAL = 183;

    final int id;
    /** The class it stands in; 0 when that does not matter. */
    final int in;
    /** Class and method, for people. */
    final String where;
    final int line;
    final int opcode;
    /** Whether it runs for real when its receiver is an immutable value. */
    final boolean runsOnValues;
    final String owner;
    final String name;
    final String descriptor;
    /** What a person calls the member. */
    final String title;
    /** The types of the parameters, and of the result. */
    final char[] parameters;
    private final boolean usesHandle;
    private final boolean usesMemory;
    /** Whether no class can be initialised because of it any more. */
    boolean isInitialised;
    /** Whether it leaves, for each class of receiver it has met. */
    private final ConcurrentHashMap<Class<?>, Boolean> met = new ConcurrentHashMap<>();
    /** Functions that were called here, and whether it was by their method. */
    private final ConcurrentHashMap<Class<?>, Boolean> declaredBy = new ConcurrentHashMap<>();

    Site(DataInputStream in) throws IOException {
        id = in.readInt();
        this.in = in.readInt();
        where = in.readUTF();
        line = in.readInt();
        opcode = in.readUnsignedByte();
        runsOnValues = in.readBoolean();
        owner = in.readUTF();
        name = in.readUTF();
        descriptor = in.readUTF();
        title = Types.title(owner) + (name.isEmpty() ? "" : "." + name);
        parameters = parameters(descriptor);
        usesMemory = owner.equals("sun/misc/Unsafe") && descriptor.startsWith("(Ljava/lang/Object;J")
            && (name.startsWith("get") || name.startsWith("put") || name.startsWith("compareAnd"));
        // What takes a function calls it from outside.
        usesHandle = owner.equals("java/lang/invoke/VarHandle")
            || owner.endsWith("FieldUpdater") && !descriptor.contains("Ljava/util/function/");
    }

    private static char[] parameters(String descriptor) {
        StringBuilder types = new StringBuilder();
        for (int at = 1; descriptor.startsWith("(") && descriptor.charAt(at) != ')'; at++) {
            types.append(descriptor.charAt(at));
            while (descriptor.charAt(at) == '[') {
                at++;
            }
            if (descriptor.charAt(at) == 'L') {
                at = descriptor.indexOf(';', at);
            }
        }
        return types.toString().toCharArray();
    }

    boolean writesStatic() {
        return opcode == PUTSTATIC;
    }

    boolean isField() {
        return opcode >= 178 && opcode <= PUTFIELD;
    }

    /** Whether two sites name the same member, in the same way. */
    boolean isLike(Site other) {
        return name.equals(other.name) && descriptor.equals(other.descriptor)
            && owner.equals(other.owner) && opcode == other.opcode;
    }

    /** Whether it uses what a VarHandle or field updater is for. */
    boolean usesHandle() {
        return usesHandle;
    }

    /** Whether it stands for the JVM, which needs a class and asks an inside loader. */
    boolean isAsked() {
        return opcode == 0;
    }

    /** Whether it uses memory within an object, as jvm/probes/src/handles.rs has it. */
    boolean usesMemory() {
        return usesMemory;
    }

    /** Whether it makes one. */
    boolean makesHandle() {
        return name.equals("findVarHandle") || name.equals("findStaticVarHandle")
            || name.equals("arrayElementVarHandle") || name.equals("newUpdater")
            || name.equals("getDeclaredField") && owner.equals("java/lang/Class");
    }

    boolean leaves(Replay replay, Class<?> receiver) {
        Boolean known = met.get(receiver);
        if (known == null) {
            known = findOut(replay, receiver);
            met.put(receiver, known);
        }
        return known;
    }

    /** The same for a static member. */
    boolean leaves(Replay replay) {
        Class<?> c = replay.types.used(replay.types.get(in).loader, owner);
        Boolean known = met.get(c);
        if (known == null) {
            Type declares = declares(replay.types, c, isField(), name + descriptor);
            known = declares == null || !declares.inside
                || !isField() && declares.isNative(name + descriptor);
            met.put(c, known);
        }
        return known;
    }

    /** Who declares a static member, as the JVM looks for it; null for the JDK. */
    private static Type declares(Types types, Class<?> c, boolean isField, String key) {
        Type type = c == null ? null : types.of(c);
        if (type == null || (isField ? type.hasField(key) : type.declares(key))) {
            return type;
        }
        if (isField) {
            for (Class<?> above : c.getInterfaces()) {
                Type found = declares(types, above, true, key);
                if (found != null) {
                    return found;
                }
            }
        }
        return declares(types, c.getSuperclass(), isField, key);
    }

    /** The boundary is the class that declares the member. */
    private boolean findOut(Replay replay, Class<?> receiver) {
        replay.functions.meets(receiver);
        String key = name + descriptor;
        Types types = replay.types;
        if (opcode == GETFIELD || opcode == PUTFIELD) {
            for (Class<?> c = above(types, receiver); c != null; c = c.getSuperclass()) {
                Type type = types.of(c);
                if (type == null) {
                    return true;
                }
                if (type.hasField(key)) {
                    return !type.inside;
                }
            }
            return true;
        }
        Class<?> start = opcode == INVOKESPECIAL ? above(types, receiver) : receiver;
        for (Class<?> c = start; c != null; c = c.getSuperclass()) {
            Type type = types.of(c);
            if (type == null) {
                if (c.getName().indexOf('/') >= 0 && c.getClassLoader() instanceof Loader) {
                    // A lambda of an inside class: the stand-ins are not hidden. Its function
                    // is inside, what else its interface has is where that is.
                    if (declares(c, key)) {
                        return false;
                    }
                } else if (declares(c, key)) {
                    return true;
                }
            } else if (type.hasMethod(key)) {
                return !type.inside || type.isNative(key);
            }
        }
        return !insideDefault(types, start == null ? receiver : start, key);
    }

    /** Whether this very class has code for the method that is named. */
    boolean isDeclaredBy(Class<?> c) {
        return declaredBy.computeIfAbsent(c, key -> declares(key, name + descriptor));
    }

    /** Whether a class has code for a method. */
    private static boolean declares(Class<?> c, String key) {
        for (java.lang.reflect.Method method : c.getDeclaredMethods()) {
            if ((method.getModifiers() & java.lang.reflect.Modifier.ABSTRACT) == 0
                && key.startsWith(method.getName())
                && key.equals(method.getName() + descriptor(method))) {
                return true;
            }
        }
        return false;
    }

    private static String descriptor(java.lang.reflect.Method method) {
        return java.lang.invoke.MethodType
            .methodType(method.getReturnType(), method.getParameterTypes())
            .toMethodDescriptorString();
    }

    /** Whether a default method of an inside interface is the one. */
    private static boolean insideDefault(Types types, Class<?> start, String key) {
        for (Class<?> c = start; c != null; c = c.getSuperclass()) {
            Boolean found = defaultIn(types, c, key);
            if (found != null) {
                return found;
            }
        }
        return false;
    }

    private static Boolean defaultIn(Types types, Class<?> c, String key) {
        Type type = types.of(c);
        if (c.isInterface() && type != null && type.hasMethod(key)) {
            return type.inside;
        }
        if (c.isInterface() && type == null && declares(c, key)) {
            return false;
        }
        for (Class<?> above : c.getInterfaces()) {
            Boolean found = defaultIn(types, above, key);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The supertype that the site names, or the class itself. */
    Class<?> above(Types types, Class<?> c) {
        if (c == null) {
            return null;
        }
        Type type = types.of(c);
        String here = type != null ? type.name : c.getName().replace('.', '/');
        if (here.equals(owner)) {
            return c;
        }
        for (Class<?> above : c.getInterfaces()) {
            Class<?> found = above(types, above);
            if (found != null) {
                return found;
            }
        }
        return above(types, c.getSuperclass());
    }
}
