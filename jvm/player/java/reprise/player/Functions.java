package reprise.player;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The hidden classes of method references. */
final class Functions {
    /** Those that refer to outside methods. */
    final Set<Class<?>> refersOutside = ConcurrentHashMap.newKeySet();

    boolean refersOutside(Class<?> type) {
        return !refersOutside.isEmpty() && refersOutside.contains(type);
    }
}
