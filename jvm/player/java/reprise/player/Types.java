package reprise.player;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All classes of a recording, and who loads them. */
final class Types {
    /** What the classes of method handles with something bound to them begin with. */
    private static final String SPECIES = "java/lang/invoke/BoundMethodHandle$Species_";

    private final Map<Integer, Type> byId = new HashMap<>();
    /** By name here, those of every loader. */
    private final Map<String, List<Type>> byName = new HashMap<>();
    private final Map<Integer, Loader> loaders = new HashMap<>();
    private final Map<Class<?>, Class<?>> standIns = new ConcurrentHashMap<>();
    private final ClassValue<Type> ofClass = new ClassValue<Type>() {
        @Override
        protected Type computeValue(Class<?> c) {
            return c.getClassLoader() instanceof Loader ? lookUp(c) : null;
        }
    };

    void add(Type type) {
        byId.put(type.id, type);
        byName.computeIfAbsent(type.nameHere, name -> new ArrayList<>()).add(type);
    }

    Type get(int id) {
        Type type = byId.get(id);
        if (type == null) {
            throw new Unplayable("there is no class " + id);
        }
        return type;
    }

    /** The classes that have the title of this one, and its loader. */
    List<Type> alike(Type type) {
        List<Type> alike = new ArrayList<>();
        for (Type other : byId.values()) {
            if (other.loader == type.loader && other.title().equals(type.title())) {
                alike.add(other);
            }
        }
        return alike;
    }

    /** What is known of a class; null for those of the JDK. */
    Type of(Class<?> c) {
        return ofClass.get(c);
    }

    private Type lookUp(Class<?> c) {
        int loader = ((Loader) c.getClassLoader()).id;
        String name = c.getName().replace('.', '/');
        for (Type type : byName.getOrDefault(name, List.of())) {
            if (type.loader == loader) {
                return type;
            }
        }
        return null;
    }

    synchronized Loader loader(int id) {
        return loaders.computeIfAbsent(id, number -> new Loader(this, number));
    }

    /**
     * The class of that name as a loader sees it. Who delegates to whom was not
     * recorded: what a loader does not have itself, another has.
     */
    Type seen(int loader, String name) {
        List<Type> types = byName.get(name);
        if (types == null) {
            return null;
        }
        Type any = null;
        for (Type type : types) {
            if (type.bytes == null) {
                continue;
            }
            if (type.loader == loader) {
                return type;
            }
            if (any == null || any.guessed) {
                any = type;
            }
        }
        return any;
    }

    /** A class by its name or descriptor. */
    Class<?> classFor(int loader, String name) {
        if (name.length() == 1 && loader == 0) {
            switch (name.charAt(0)) {
                case 'Z': return boolean.class;
                case 'B': return byte.class;
                case 'C': return char.class;
                case 'S': return short.class;
                case 'I': return int.class;
                case 'J': return long.class;
                case 'F': return float.class;
                case 'D': return double.class;
                case 'V': return void.class;
                default: break;
            }
        }
        try {
            return used(loader, name);
        } catch (LinkageError wrong) {
            throw cannotBeHad(name, wrong);
        }
    }

    /** The same for inside code that is about to use it, and sees what is wrong with it. */
    Class<?> used(int loader, String name) {
        Type type = seen(loader, here(name));
        if (type != null) {
            type.use();
        }
        try {
            return Class.forName(here(name).replace('/', '.'), false, loader(loader));
        } catch (ClassNotFoundException wrong) {
            throw cannotBeHad(name, wrong);
        }
    }

    private static Unplayable cannotBeHad(String name, Throwable why) {
        return new Unplayable("the class " + title(name) + " cannot be had: " + why);
    }

    /** The class that stands in the place of one that only the recorded JVM had. */
    private static String here(String name) {
        if (name.startsWith("java/reprise/")) {
            // The recorder's own: an inside loader was asked for it.
            return "reprise/player/Unknown";
        }
        if (name.startsWith(SPECIES)) {
            // The JDK makes them as they are needed, and this one it has always.
            return SPECIES + "L";
        }
        return name;
    }

    /** Names with dots, arrays with brackets. */
    static String title(String name) {
        int dimensions = 0;
        while (dimensions < name.length() && name.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = name.substring(dimensions);
        if (dimensions > 0) {
            element = element.startsWith("L") ? element.substring(1, element.length() - 1)
                : scalar(element);
        }
        // The address of a hidden class differs from run to run.
        int lambda = element.indexOf(Type.LAMBDA);
        if (lambda >= 0) {
            element = element.substring(0, lambda) + Type.LAMBDA;
        }
        return element.replace('/', '.') + "[]".repeat(dimensions);
    }

    private static String scalar(String descriptor) {
        switch (descriptor) {
            case "Z": return "boolean";
            case "B": return "byte";
            case "C": return "char";
            case "S": return "short";
            case "I": return "int";
            case "J": return "long";
            case "F": return "float";
            case "D": return "double";
            default: return descriptor;
        }
    }

    /** A class stands in the place of one of the JDK. */
    void standsFor(Class<?> c, Class<?> recorded) {
        standIns.put(c, recorded);
    }

    /** What a person calls the class of an object. */
    String title(Class<?> here) {
        Class<?> c = standIns.getOrDefault(here, here);
        if (!c.isArray()) {
            Type type = of(c);
            if (type != null) {
                return type.title();
            }
        }
        return title(c.getName().replace('.', '/'));
    }
}
