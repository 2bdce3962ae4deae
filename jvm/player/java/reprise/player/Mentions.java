package reprise.player;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** The objects and values that one thread mentions, recorded and actual. */
final class Mentions {
    private final Replay replay;
    private final Player player;
    /** How many objects this thread was the first to mention. */
    private long count;
    /** Objects that were made to be adopted and have nothing in them yet. */
    final Set<Object> adopted = Collections.newSetFromMap(new IdentityHashMap<>());
    /** How often objects that get their numbers silently will be mentioned, by number. */
    private final Map<Long, Integer> silent = new HashMap<>();

    Mentions(Player player) {
        this.replay = player.replay;
        this.player = player;
    }

    private long next() {
        return Objects.key(player.id, ++count);
    }

    /** An event was taken: what it says of the objects that get their numbers after it. */
    void took(Event event) {
        for (int i = 0; i < event.silent.length; i += 2) {
            silent.put(event.silent[i], (int) event.silent[i + 1]);
        }
        for (Event part : event.arrays) {
            took(part);
        }
    }

    private void bindSilently(Object o) {
        replay.functions.meets(o.getClass());
        long key = next();
        Integer more = silent.isEmpty() ? null : silent.remove(count);
        replay.objects.bind(o, key, more == null ? 0 : more);
    }

    /** An object goes out and is not looked at. */
    void mention(Object o) {
        if (o != null && !(o instanceof Unknown) && Value.boxed(o) == 0
                && !Constants.isConstant(o) && replay.objects.keyOf(o) == 0) {
            bindSilently(o);
        }
    }

    /** How many objects this thread was the first to mention. */
    long count() {
        return count;
    }

    /** As the recorder does: what the outside can reach without an event has a number. */
    void expose(Object o) {
        if (o == null || Value.boxed(o) != 0 || Constants.isConstant(o)
                || replay.objects.keyOf(o) != 0) {
            return;
        }
        bindSilently(o);
        if (o instanceof Object[]) {
            exposeElements((Object[]) o);
        }
    }

    void exposeElements(Object[] array) {
        for (Object element : array) {
            expose(element);
        }
    }

    /** Whether a value that goes out is the recorded one. */
    boolean same(Value expected, Object actual) {
        if (expected.isScalar()) {
            return Value.boxed(actual) == expected.kind && Value.bits(actual) == expected.bits;
        }
        if (actual == null) {
            return expected.kind == Value.NULL;
        }
        if (actual instanceof Unknown) {
            return expected.kind == Value.NULL;
        }
        int box = Value.boxed(actual);
        if (box != 0) {
            return expected.kind == Value.BOX && expected.boxed == box
                && expected.bits == Value.bits(actual);
        }
        if (Constants.isConstant(actual)) {
            return expected.kind == Value.CONSTANT
                && Constants.same(replay.constants.get((int) expected.bits), actual);
        }
        if (expected.isObject() && !expected.isFirst() && replay.objects.keyOf(actual) == 0) {
            // Another thread was the first to mention it, and may not have come to that yet.
            replay.objects.get(expected.bits, player.id);
        }
        long key = replay.objects.keyOf(actual);
        // The JVM forgets weak references before it finalises, and with them the
        // numbers of what only a finalizer can still reach.
        boolean forgotten = key != 0 && expected.isObject() && expected.isFirst()
            && player.getName().equals("Finalizer");
        if (actual instanceof VirtualMachineError && expected.isObject() && expected.bits != key) {
            return sameError(expected, actual);
        }
        if (key != 0 && !forgotten) {
            if (!expected.isObject() || expected.bits != key) {
                return false;
            }
            again(expected, actual);
            return true;
        }
        key = next();
        replay.objects.bind(actual, key, expected.more(key));
        if (expected.isFirst()) {
            replay.types.get(expected.type).isHere(actual.getClass());
        }
        return expected.isObject() && expected.bits == key && expected.isFirst()
            && replay.types.get(expected.type).title().equals(replay.types.title(actual.getClass()))
            && (expected.kind != Value.ARRAY
                || java.lang.reflect.Array.getLength(actual) == expected.length);
    }

    /** The object of a number is mentioned, which it had already. */
    private void again(Value expected, Object actual) {
        if (expected.isFirst()) {
            replay.objects.bind(actual, expected.bits, expected.more);
        } else {
            replay.objects.mentioned(expected.bits);
        }
    }

    /**
     * A JVM throws some of its errors again and again, so that which of them are
     * the same object differs from run to run.
     */
    private boolean sameError(Value expected, Object actual) {
        Class<?> type = actual.getClass();
        if (expected.isFirst()) {
            long key = next();
            replay.objects.bind(actual, key, expected.more(key));
            return key == expected.bits
                && replay.types.get(expected.type).title().equals(replay.types.title(type));
        }
        Object known = replay.objects.get(expected.bits);
        replay.objects.mentioned(expected.bits);
        return known != null && known.getClass() == type;
    }

    /** What a value from outside is here. */
    Object resolve(Value value, Object hint) {
        if (value.isScalar()) {
            return Value.box(value.kind, value.bits);
        }
        switch (value.kind) {
            case Value.NULL: return null;
            case Value.BOX: return Value.box(value.boxed, value.bits);
            case Value.CONSTANT: return replay.constants.get((int) value.bits);
            default: break;
        }
        if (!value.isFirst()) {
            Object known = replay.objects.get(value.bits, player.id);
            if (known == null) {
                throw new Unplayable("the object " + Objects.title(value.bits)
                    + " was never mentioned before");
            }
            replay.objects.mentioned(value.bits);
            return known;
        }
        long key = next();
        if (key != value.bits) {
            player.diverged(Fact.of(Fact.NUMBER, Objects.title(value.bits)),
                Fact.of(Fact.NUMBER, Objects.title(key)));
            count = value.bits & (1L << 40) - 1;
        }
        Object here = hint != null && fits(hint, value) ? hint : player.unborn(value);
        if (here == null) {
            if (value.kind == Value.INSIDE) {
                if (player.last().adopts(value.bits)) {
                    here = Memory.allocate(replay.types.get(value.type).find(replay));
                    replay.objects.bind(here, value.bits, value.more);
                    adopted.add(here);
                    return here;
                }
                throw new Unplayable("an object of " + replay.types.get(value.type).title()
                    + " comes in that no recorded constructor has made");
            }
            here = replay.objects.make(value);
        }
        replay.objects.bind(here, value.bits, value.more);
        return here;
    }

    /** Whether an object that has no number yet can be the one that is mentioned. */
    boolean fits(Object o, Value value) {
        return replay.objects.keyOf(o) == 0
            && replay.types.get(value.type).title().equals(replay.types.title(o.getClass()));
    }

    /** A recorded value, for people. */
    String text(Value value) {
        if (value.isScalar()) {
            return Value.text(value.kind, value.bits);
        }
        switch (value.kind) {
            case Value.NULL: return "null";
            case Value.BOX: return "boxed " + Value.text(value.boxed, value.bits);
            case Value.CONSTANT: return text(replay.constants.get((int) value.bits));
            default: break;
        }
        if (value.isFirst()) {
            return replay.types.get(value.type).title() + Objects.title(value.bits);
        }
        Object known = replay.objects.get(value.bits);
        String type = known == null ? "an object" : replay.types.title(known.getClass());
        return type + Objects.title(value.bits);
    }

    /** A value that goes out, for people; scalars come in their boxes. */
    String text(Object o) {
        if (o == null) {
            return "null";
        }
        if (o instanceof String) {
            return "\"" + o + "\"";
        }
        if (o instanceof Class) {
            return replay.types.title((Class<?>) o) + ".class";
        }
        if (o instanceof Enum && Constants.isConstant(o)) {
            return replay.types.title(((Enum<?>) o).getDeclaringClass()) + "." + ((Enum<?>) o).name();
        }
        int box = Value.boxed(o);
        if (box != 0) {
            return Value.text(box, Value.bits(o));
        }
        if (Constants.isConstant(o)) {
            return o.toString();
        }
        String title = replay.types.title(o.getClass());
        if (o instanceof LinkageError && o.getClass().getClassLoader() == null) {
            // Of this JVM or made by the inside: the text says which class it is about.
            title += ": " + ((LinkageError) o).getMessage();
        }
        long key = replay.objects.keyOf(o);
        return title + (key == 0 ? "" : Objects.title(key));
    }
}
