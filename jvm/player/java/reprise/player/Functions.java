package reprise.player;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The hidden classes of lambdas and method references. */
final class Functions {
    /** Those that refer to outside methods. */
    final Set<Class<?>> refersOutside = ConcurrentHashMap.newKeySet();
    /** Those of the inside that were met, in that order, by loader and by the name that all of a class have. */
    private final Map<String, List<Class<?>>> met = new HashMap<>();
    private final ClassValue<Boolean> meets = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> c) {
            return meet(c);
        }
    };

    boolean refersOutside(Class<?> type) {
        return !refersOutside.isEmpty() && refersOutside.contains(type);
    }

    /**
     * An object of a class is called, or goes out. Here the recorder looks the class up, and gives it a
     * number when it is a new one.
     */
    void meets(Class<?> c) {
        meets.get(c);
    }

    private boolean meet(Class<?> c) {
        String title = Types.title(c.getName().replace('.', '/'));
        boolean isLambda = c.isSynthetic() && title.endsWith(Type.LAMBDA)
            && c.getClassLoader() instanceof Loader;
        if (isLambda) {
            int loader = ((Loader) c.getClassLoader()).id;
            synchronized (met) {
                met.computeIfAbsent(loader + title, name -> new ArrayList<>()).add(c);
            }
        }
        return isLambda;
    }

    /**
     * The class that a recorded one is here, if it was met: the JVM makes them under names of its own,
     * and the numbers of those of one inside class say in which order they were met.
     */
    Class<?> find(Type type, List<Type> alike) {
        synchronized (met) {
            List<Class<?>> here = met.getOrDefault(type.loader + type.title(), List.of());
            List<Class<?>> left = new ArrayList<>(here);
            int before = 0;
            for (Type other : alike) {
                Class<?> known = other.known();
                left.remove(known);
                before += known == null && other.id < type.id ? 1 : 0;
            }
            return before < left.size() ? left.get(before) : null;
        }
    }
}
