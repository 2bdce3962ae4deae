package reprise.player;

import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** The part of the outside in one thread: it calls the inside, and writes to its fields. */
final class Driver {
    private final Player player;
    private final Replay replay;
    private final Mentions mentions;
    private final Contents contents;
    /** The innermost class that is used before its initialiser begins; null for none. */
    private Early early;

    /** A class that is used before its initialiser begins. */
    private static final class Early {
        final int type;
        /** The call that uses it. */
        final Event first;
        boolean isPlayed;
        /** Where the initialiser begins then. */
        Event begins;

        Early(int type, Event first) {
            this.type = type;
            this.first = first;
        }
    }

    Driver(Player player) {
        this.player = player;
        this.replay = player.replay;
        this.mentions = player.mentions;
        this.contents = player.contents;
    }

    /** Plays what the outside does until it answers. */
    Event plays(Object monitor) {
        Event event;
        do {
            event = player.take(monitor);
        } while (plays(event, monitor));
        return event;
    }

    /** Plays an event of the outside; false for an answer. */
    private boolean plays(Event event, Object monitor) {
        switch (event.what) {
            case Event.INCALL:
                int unready = replay.initialisers.early(player.id, event.number);
                if (unready == 0) {
                    inCall(event);
                } else {
                    initialises(event, unready);
                }
                return true;
            case Event.INWRITE:
                inWrite(event);
                return true;
            case Event.ARRAY: case Event.ADOPT:
                contents.fillIn(event);
                return true;
            case Event.ORDER:
                player.turns.follow(event, monitor);
                return true;
            default:
                if (player.isAsked(event)) {
                    player.asked();
                } else if (event.isAnswer()) {
                    return false;
                } else {
                    unexpected(event);
                }
                return true;
        }
    }

    /**
     * The outside used a class before its initialiser began: an outside class above it was
     * initialised first, and called it. So that happens here, and the stand-in of that class
     * plays what it did.
     */
    private void initialises(Event first, int type) {
        Early before = early;
        Early mine = new Early(type, first);
        early = mine;
        Throwable thrown = null;
        try {
            Memory.initialise(replay.types.get(type).find(replay));
        } catch (End | Unplayable own) {
            throw own;
        } catch (ExceptionInInitializerError wrapped) {
            thrown = wrapped.getCause() == null ? wrapped : wrapped.getCause();
        } catch (Throwable any) {
            thrown = any;
        } finally {
            early = before;
            player.runsInside = !replay.oracle;
        }
        if (thrown instanceof End) {
            throw (End) thrown;
        }
        player.at = null;
        if (mine.begins != null) {
            player.calls.returns(replay.methods.get(mine.begins.id), mine.begins, null, thrown);
        }
        player.runsInside = false;
        if (!mine.isPlayed) {
            // Nothing above it has asked: what follows will diverge, and say how.
            inCall(first);
        }
    }

    /** Whether a class above one that is used too early is being initialised. */
    boolean isEarly() {
        return early != null && !early.isPlayed;
    }

    /** Plays what its initialiser did, until that of the class itself begins. */
    void playsEarly() {
        Early mine = early;
        mine.isPlayed = true;
        player.runsInside = false;
        inCall(mine.first);
        for (;;) {
            Event event = player.take(null);
            Method method = event.what == Event.INCALL ? replay.methods.get(event.id) : null;
            if (method != null && method.isInitialiser() && method.type == mine.type) {
                mine.begins = event;
                break;
            }
            if (!plays(event, null)) {
                unexpected(event);
            }
        }
        player.runsInside = true;
        replay.order.done(player.id);
    }

    /** It is the outside's turn, and the inside was to do something. */
    private void unexpected(Event event) {
        player.at = null;
        player.diverged(player.calls.fact(event), Fact.of(Fact.OTHER, "nothing"));
    }

    private void inCall(Event event) {
        Method method = replay.methods.get(event.id);
        if (method == null) {
            throw new Unplayable("there is no method " + event.id);
        }
        Object[] arguments = new Object[event.values.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = mentions.resolve(event.values[i], null);
        }
        contents.fillAll(event);
        Object result = null;
        Throwable thrown = null;
        try {
            player.runsInside = true;
            replay.order.done(player.id);
            if (method.isConstructor()) {
                int type = event.type != 0 ? event.type : method.type;
                result = begun(replay.types.get(type).find(replay), event.type != 0);
                player.unborn.push(result);
                try {
                    method.invoke(replay, result, arguments);
                } finally {
                    player.unborn.pop();
                }
            } else if (method.isInitialiser()) {
                Memory.initialise(replay.types.get(method.type).find(replay));
            } else {
                result = method.invoke(replay, null, arguments);
            }
        } catch (End | Unplayable own) {
            throw own;
        } catch (ExceptionInInitializerError wrapped) {
            boolean own = method.isInitialiser() && wrapped.getCause() != null;
            thrown = own ? wrapped.getCause() : wrapped;
        } catch (Throwable any) {
            thrown = any;
        } finally {
            player.runsInside = !replay.oracle;
        }
        if (thrown instanceof ExceptionInInitializerError && thrown.getCause() instanceof End) {
            throw (End) thrown.getCause();
        }
        player.at = null;
        player.calls.returns(method, event, result, thrown);
        player.runsInside = false;
    }

    /**
     * The object that a constructor is called for: a new one, or the one that the
     * inside has begun, when its outside class calls an inside superclass.
     */
    private Object begun(Class<?> c, boolean bySubclass) {
        Object innermost = bySubclass ? player.unborn.peek() : null;
        boolean isIt = innermost != null && innermost.getClass() == c
            && replay.objects.keyOf(innermost) == 0;
        return isIt ? innermost : Memory.allocate(c);
    }

    /** The outside writes to a field, or has found an object in it that had no number yet. */
    private void inWrite(Event event) {
        Site site = replay.recorded(event.id);
        boolean isStatic = event.values.length == 1;
        Object receiver = isStatic ? null : mentions.resolve(event.values[0], null);
        if (receiver != null && receiver.getClass().isArray()) {
            found(event, site, receiver);
            return;
        }
        Field field = field(site, isStatic
            ? replay.types.classFor(site.in, site.owner)
            : site.above(replay.types, receiver.getClass()));
        if (field == null) {
            throw new Unplayable("there is no field " + site.title);
        }
        Object content = Memory.get(receiver, field);
        Object value = mentions.resolve(event.values[event.values.length - 1], content);
        contents.fillAll(event);
        if (content == null || content != value) {
            Contents.set(field, receiver, value);
        }
    }

    /** The outside has found an object in an array; the name of the site is its index. */
    private void found(Event event, Site site, Object array) {
        try {
            int index = Integer.parseInt(site.name.replaceAll("\\D", ""));
            Object content = Array.get(array, index);
            mentions.resolve(event.values[event.values.length - 1], content);
        } catch (RuntimeException wrong) {
            throw new Unplayable("there is no element " + site.title);
        }
    }

    /** The field that a site names, as the JVM looks for it. */
    private static Field field(Site site, Class<?> c) {
        if (c == null) {
            return null;
        }
        for (Field field : c.getDeclaredFields()) {
            if (field.getName().equals(site.name)
                && Memory.descriptor(field.getType()).equals(site.descriptor)) {
                return field;
            }
        }
        for (Class<?> above : c.getInterfaces()) {
            Field field = field(site, above);
            if (field != null) {
                return field;
            }
        }
        return field(site, c.getSuperclass());
    }
}
