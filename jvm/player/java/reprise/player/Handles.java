package reprise.player;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The handles by which the inside uses its own fields and arrays. They are real
 * ones, made here for the classes that are played.
 */
final class Handles {
    private final Replay replay;
    /** Neither kind of handle has an equals of its own. */
    private final Set<Object> own = Collections.synchronizedSet(
        Collections.newSetFromMap(new WeakHashMap<>()));

    Handles(Replay replay) {
        this.replay = replay;
    }

    /** Whether what a handle does is done inside. */
    boolean isOwn(Object handle) {
        return own.contains(handle);
    }

    /** A handle as the one that a call has returned; null when it returned something else. */
    Object made(Site site, Object[] all) {
        if (!site.makesHandle()) {
            return null;
        }
        try {
            Object handle = make(site, all);
            if (handle != null) {
                own.add(handle);
            }
            return handle;
        } catch (End | Unplayable own) {
            throw own;
        } catch (Throwable impossible) {
            // The recording has the exception, or what comes will diverge.
            return null;
        }
    }

    private Object make(Site site, Object[] all) throws Throwable {
        if (site.name.equals("getDeclaredField")) {
            Class<?> owner = (Class<?>) all[0];
            Type type = replay.types.of(owner);
            return type != null && type.inside ? owner.getDeclaredField((String) all[1]) : null;
        }
        if (site.name.equals("arrayElementVarHandle")) {
            return MethodHandles.arrayElementVarHandle((Class<?>) all[0]);
        }
        boolean byLookup = site.parameters.length < all.length;
        Class<?> owner = (Class<?>) all[byLookup ? 1 : 0];
        String name = (String) all[byLookup ? 2 : all.length - 1];
        if (!declaresInside(owner, name)) {
            return null;
        }
        MethodHandles.Lookup lookup = Memory.lookup().in(owner);
        if (byLookup) {
            Class<?> type = (Class<?>) all[3];
            return site.name.equals("findVarHandle") ? lookup.findVarHandle(owner, name, type)
                : lookup.findStaticVarHandle(owner, name, type);
        }
        // newUpdater asks who calls it; what it makes is told.
        String updater = site.owner.replace('/', '.');
        String made = updater.substring(updater.lastIndexOf('.') + 1);
        made = made.equals("AtomicLongFieldUpdater") ? "CASUpdater" : made + "Impl";
        Class<?>[] parameters = new Class<?>[all.length + 1];
        Arrays.fill(parameters, Class.class);
        parameters[all.length - 1] = String.class;
        Object[] arguments = Arrays.copyOf(all, all.length + 1);
        arguments[all.length] = owner;
        return Memory.lookup().findConstructor(Class.forName(updater + "$" + made),
                MethodType.methodType(void.class, parameters))
            .invokeWithArguments(arguments);
    }

    private boolean declaresInside(Class<?> owner, String name) {
        for (Class<?> c = owner; c != null && c != Object.class; c = c.getSuperclass()) {
            for (java.lang.reflect.Field field : c.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    Type type = replay.types.of(c);
                    return type != null && type.inside;
                }
            }
        }
        return false;
    }
}
