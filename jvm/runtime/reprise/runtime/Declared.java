package reprise.runtime;

import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;

/**
 * A field that a class declares. The JVM is asked for them and not the class, which would
 * look up the types of all its fields: that may load classes, by a loader of the program,
 * before the program does, or find that some are missing.
 */
final class Declared {
    final String name;
    final String descriptor;
    final boolean isStatic;
    /** Another one has the same name. */
    private boolean isAmbiguous;
    /** Where it is, once somebody has asked. */
    private volatile Adopted.Field place;

    private static final Declared[] NONE = {};

    private static final ClassValue<Declared[]> KNOWN = new ClassValue<Declared[]>() {
        @Override
        protected Declared[] computeValue(Class<?> type) {
            try {
                return find(type);
            } catch (LinkageError | RuntimeException unknown) {
                Native.left(type.getName(), "its fields are not known: " + unknown);
                return NONE;
            }
        }
    };

    private Declared(String name, String descriptor, boolean isStatic) {
        this.name = name;
        this.descriptor = descriptor;
        this.isStatic = isStatic;
    }

    static Declared[] of(Class<?> type) {
        return KNOWN.get(type);
    }

    /** The field of this name, the first of them; null if the class declares none. */
    static Declared find(Class<?> type, String name) {
        for (Declared field : of(type)) {
            if (field.name.equals(name)) {
                return field;
            }
        }
        return null;
    }

    static Declared of(java.lang.reflect.Field field) {
        String type = descriptor(field.getType());
        for (Declared known : of(field.getDeclaringClass())) {
            if (known.name.equals(field.getName()) && known.descriptor.equals(type)) {
                return known;
            }
        }
        return new Declared(field.getName(), type, Modifier.isStatic(field.getModifiers()));
    }

    /** Where it is; the class is the one that declares it. */
    Adopted.Field place(Class<?> type) {
        Adopted.Field found = place;
        if (found == null) {
            int number = ClassInfo.of(type).number;
            boolean byName = !isStatic && !isAmbiguous && Native.fields(type) != null;
            found = byName ? new Adopted.Field(number, type, this)
                : new Adopted.Field(number, reflected(type));
            place = found;
        }
        return found;
    }

    private java.lang.reflect.Field reflected(Class<?> type) {
        for (java.lang.reflect.Field field : type.getDeclaredFields()) {
            if (field.getName().equals(name) && descriptor(field.getType()).equals(descriptor)) {
                return field;
            }
        }
        throw new IllegalStateException("there is no " + name + " in " + type);
    }

    private static Declared[] find(Class<?> type) {
        // Kind, name and descriptor of each, with a dot behind: none of them has one.
        String listed = Native.fields(type);
        if (listed == null) {
            java.lang.reflect.Field[] fields = type.getDeclaredFields();
            Declared[] found = new Declared[fields.length];
            for (int i = 0; i < found.length; i++) {
                found[i] = new Declared(fields[i].getName(), descriptor(fields[i].getType()),
                    Modifier.isStatic(fields[i].getModifiers()));
            }
            return found;
        }
        String[] words = listed.isEmpty() ? new String[0] : listed.split("\\.");
        Declared[] found = new Declared[words.length / 3];
        for (int i = 0; i < found.length; i++) {
            found[i] = new Declared(words[3 * i + 1], words[3 * i + 2], words[3 * i].equals("static"));
            for (int before = 0; before < i; before++) {
                found[i].isAmbiguous |= found[before].name.equals(found[i].name);
                found[before].isAmbiguous |= found[before].name.equals(found[i].name);
            }
        }
        return found;
    }

    static String descriptor(Class<?> type) {
        return MethodType.methodType(type).toMethodDescriptorString().substring(2);
    }
}
