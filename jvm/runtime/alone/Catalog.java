package reprise.runtime;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The recording's tables: the numbers of classes, loaders and values. The entries are those of
 * jvm/events/src/table.rs.
 */
final class Catalog {
    private static final int LOADER = 1;
    private static final int CLASS = 2;
    private static final int VALUE = 6;
    private static final int SKIPPED = 7;
    private static final int EXPORTED = 9;
    private static final int SHAPE = 8;
    /** public, final, interface, abstract, synthetic, annotation, enum */
    private static final int ACCESS = 0x7611;
    private static final int SUPER = 0x20;
    /** The loader of the jar's classes. */
    private static final int OWN = 1;

    private static final Map<ClassLoader, Integer> LOADERS = new WeakHashMap<>();
    /** By the number of the loader and the name. */
    private static final Map<String, Integer> CLASSES = new HashMap<>();
    /** Who has shown a class of the jar first. */
    private static final Map<String, WeakReference<ClassLoader>> SHOWN = new HashMap<>();
    private static final List<String[]> NOT_RECORDED = new ArrayList<>();
    private static int loaders;
    private static int classes;
    private static int values;

    private Catalog() {}

    /** Writes what is known from the beginning. */
    static synchronized void begin(ClassLoader own) {
        classes = Tables.classes;
        loaders = OWN;
        LOADERS.put(own, OWN);
        entry(new Entry(LOADER).number(OWN).text(own == null ? "" : own.getClass().getName().replace('.', '/')));
        for (Tables.File file : Tables.files()) {
            entry(new Entry(CLASS).number(file.id).number(OWN).number(file.inside ? 1 : 0).text(file.name));
            for (byte[] entry : file.entries) {
                Alone.table(entry);
            }
        }
    }

    /** What could not be recorded, with the reason. */
    static List<String[]> notRecorded() {
        // Asked by who holds the file, for which others wait that hold this class.
        synchronized (NOT_RECORDED) {
            return new ArrayList<>(NOT_RECORDED);
        }
    }

    static synchronized long classInfo(Class<?> type, boolean isForeign) {
        String name = name(type);
        boolean inside = !isForeign && isInside(name);
        // Numbers are in no field here that a copy could have from its original.
        return (long) number(type, name, inside) << 2 | (inside ? 1 : 0);
    }

    /** By its name with slashes; the class of a lambda is where its host is. */
    static boolean isInside(String name) {
        int lambda = name.indexOf("$$Lambda");
        Tables.File file = Tables.file(lambda < 0 ? name : name.substring(0, lambda));
        return file != null && file.inside;
    }

    /** As class files have it, `I` for int; a hidden class has a dot in front of its address. */
    static String name(Class<?> type) {
        if (type.isPrimitive()) {
            return MethodType.methodType(type).toMethodDescriptorString().substring(2);
        }
        String name = type.getName();
        int hidden = name.indexOf('/');
        return hidden < 0 ? name.replace('.', '/')
            : name.substring(0, hidden).replace('.', '/') + '.' + name.substring(hidden + 1);
    }

    static synchronized int value(byte[] constant) {
        Entry entry = new Entry(VALUE).number(++values);
        entry.bytes.write(constant, 0, constant.length);
        entry(entry);
        return values;
    }

    static synchronized void skipped(String what, String why) {
        synchronized (NOT_RECORDED) {
            NOT_RECORDED.add(new String[] {what, why});
        }
        entry(new Entry(SKIPPED).text(what).text("").text(why));
    }

    static synchronized void exported(String module, String packageName) {
        entry(new Entry(EXPORTED).text(module).text(packageName));
    }

    private static int number(Class<?> type, String name, boolean inside) {
        ClassLoader loader = type.getClassLoader();
        Tables.File file = Tables.file(name);
        if (file != null && isFirst(loader, name)) {
            return file.id;
        }
        int of = loader(loader);
        String key = of + " " + name;
        Integer known = CLASSES.get(key);
        if (known != null) {
            return known;
        }
        int id = ++classes;
        CLASSES.put(key, id);
        entry(new Entry(CLASS).number(id).number(of).number(inside ? 1 : 0).text(name));
        if (file != null) {
            skipped(name, "a second loader has it, and its code was given numbers ahead of time");
        } else if (!inside && !type.isArray() && !type.isPrimitive()
                && (!isPlatform(loader) || isGenerated(name))) {
            shape(type, id);
        }
        return id;
    }

    /** Whether this is the loader that a class of the jar was seen with first. */
    private static boolean isFirst(ClassLoader loader, String name) {
        WeakReference<ClassLoader> first = SHOWN.computeIfAbsent(name, n -> new WeakReference<>(loader));
        return first.get() == loader;
    }

    private static int loader(ClassLoader loader) {
        if (loader == null) {
            return 0;
        }
        Integer known = LOADERS.get(loader);
        if (known == null) {
            known = ++loaders;
            LOADERS.put(loader, known);
            entry(new Entry(LOADER).number(known).text(loader.getClass().getName().replace('.', '/')));
        }
        return known;
    }

    private static boolean isPlatform(ClassLoader loader) {
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /** Whether the JVM or the JDK made the class while the program ran. */
    private static boolean isGenerated(String name) {
        return name.indexOf('.') >= 0 || name.contains("$Proxy");
    }

    /** What a stand-in for an outside class has to look like. */
    private static void shape(Class<?> type, int id) {
        Class<?> above = type.getSuperclass();
        Class<?>[] interfaces = type.getInterfaces();
        // What reflection says of a nested class is more than a class file may.
        int access = type.getModifiers() & ACCESS | (type.isInterface() ? 0 : SUPER);
        Entry entry = new Entry(SHAPE).number(id).number(access);
        entry.text(above == null ? "" : name(above)).number(interfaces.length);
        for (Class<?> i : interfaces) {
            entry.text(name(i));
        }
        List<String> constants = new ArrayList<>();
        if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                constants.add(((Enum<?>) constant).name());
            }
        }
        entry.number(constants.size());
        for (String constant : constants) {
            // public static final enum
            entry.number(0x4019).text(constant).text('L' + name(type) + ';');
        }
        entry(entry.number(0));
        // They stand in, too.
        if (above != null) {
            number(above, name(above), isInside(name(above)));
        }
        for (Class<?> i : interfaces) {
            number(i, name(i), isInside(name(i)));
        }
    }

    private static void entry(Entry entry) {
        Alone.table(entry.bytes.toByteArray());
    }

    /** The bytes of an entry. */
    private static final class Entry {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Entry(int kind) {
            bytes.write(kind);
        }

        Entry number(long number) {
            Chunks.varint(bytes, number);
            return this;
        }

        Entry text(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            number(utf8.length);
            bytes.write(utf8, 0, utf8.length);
            return this;
        }
    }
}
