package reprise.player;

import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** What came along with an event: what arrays hold, and what is in objects that came from nowhere. */
final class Contents {
    private final Player player;
    private final Replay replay;
    private final Mentions mentions;

    Contents(Player player) {
        this.player = player;
        this.replay = player.replay;
        this.mentions = player.mentions;
    }

    void fillAll(Event event) {
        for (Event other : event.arrays) {
            fillIn(other);
        }
        boolean inside = player.runsInside;
        Event part = event;
        while (part.more > 0) {
            player.runsInside = false;
            part = player.takePart();
            fillIn(part);
        }
        player.runsInside = inside;
    }

    void fillIn(Event part) {
        if (part.what == Event.ADOPT) {
            adopt(part);
        } else {
            fill(part);
        }
        for (Event other : part.arrays) {
            fillIn(other);
        }
    }

    /** What is in an object that came from nowhere. */
    private void adopt(Event event) {
        Object object = mentions.resolve(event.values[0], null);
        boolean isNew = mentions.adopted.remove(object);
        for (int i = 1; i + 2 < event.values.length; i += 3) {
            Type type = replay.types.get((int) event.values[i].bits);
            Object name = mentions.resolve(event.values[i + 1], null);
            Field field = field(type.find(replay), name);
            Value value = event.values[i + 2];
            Object hint = isNew || !value.isObject() ? null : Memory.get(object, field);
            set(field, object, mentions.resolve(value, hint));
        }
    }

    private static Field field(Class<?> c, Object name) {
        for (Field field : c.getDeclaredFields()) {
            if (field.getName().equals(name)) {
                return field;
            }
        }
        throw new Unplayable("there is no field " + name + " in " + c.getName());
    }

    static void set(Field field, Object object, Object value) {
        try {
            field.setAccessible(true);
            field.set(object, value);
        } catch (ReflectiveOperationException | RuntimeException wrong) {
            throw new Unplayable("the field " + field + " cannot be written: " + wrong);
        }
    }

    /** What the outside has put into an array. */
    private void fill(Event event) {
        Object array = mentions.resolve(event.values[0], null);
        try {
            for (int i = 1; i < event.values.length; i++) {
                int index = event.id + i - 1;
                Value value = event.values[i];
                if (value.kind == Value.PACKED) {
                    System.arraycopy(value.packed, 0, array, index, (int) value.bits);
                    continue;
                }
                Object hint = value.isObject() && value.isFirst()
                    ? Array.get(array, index) : null;
                Array.set(array, index, mentions.resolve(value, hint));
            }
        } catch (RuntimeException wrong) {
            throw new Unplayable("an array cannot be filled: " + wrong);
        }
    }
}
