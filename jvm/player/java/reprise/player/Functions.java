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

    /** Those that refer to a method of which a receiver decides where it is. */
    private final Map<Class<?>, Target> targets = new ConcurrentHashMap<>();

    private static final class Target {
        final Site site;
        final java.lang.reflect.Field captured;

        Target(Site site, java.lang.reflect.Field captured) {
            this.site = site;
            this.captured = captured;
        }
    }

    void refersBy(Class<?> type, Site site, boolean isCaptured) {
        meets(type);
        if (!targets.containsKey(type)) {
            targets.put(type, new Target(site, isCaptured ? captured(type) : null));
        }
    }

    /** As the JDK's lambdas have it. */
    private static java.lang.reflect.Field captured(Class<?> type) {
        try {
            java.lang.reflect.Field field = type.getDeclaredField("arg$1");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException unknown) {
            throw new Unplayable(type + " has captured nothing");
        }
    }

    /** Whether a call of a function ends in an outside method; null has none. */
    boolean leaves(Replay replay, Object function, Object first, int site) {
        Target target = targets.isEmpty() ? null : targets.get(function.getClass());
        if (target == null || !replay.site(site).isDeclaredBy(function.getClass())) {
            return false;
        }
        try {
            // As the recorder asks: what it refers to may be such a function in turn.
            boolean isCaptured = target.captured != null;
            Object on = isCaptured ? target.captured.get(function) : first;
            if (Constants.isValue(on)) {
                return !target.site.runsOnValues;
            }
            return on != null && (refersOutside(on.getClass())
                || target.site.leaves(replay, on.getClass())
                || leaves(replay, on, isCaptured ? first : null, target.site.id));
        } catch (IllegalAccessException closed) {
            throw new Unplayable(closed.toString());
        }
    }

    boolean refersOutside(Class<?> type) {
        return !refersOutside.isEmpty() && refersOutside.contains(type);
    }

    /** A function of a class was made, and the recorder looks the class up: new ones get their numbers so. */
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
