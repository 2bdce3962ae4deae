import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Objects that no constructor made: inside and outside ones, one of an enum that
 * has no name, and fields of an inside object that are written past everybody.
 */
public class Main {
    static final Unsafe UNSAFE = unsafe();

    public static void main(String[] args) throws Exception {
        Inside made = (Inside) UNSAFE.allocateInstance(Inside.class);
        System.out.println(made.size + " " + made.describe());
        made.size = 7;
        System.out.println(made.describe());
        Outside other = (Outside) UNSAFE.allocateInstance(Outside.class);
        System.out.println(made.takes(other));
        System.out.println(made.allocates());
        Level level = (Level) UNSAFE.allocateInstance(Level.class);
        System.out.println(made.level(level) + " " + made.level(Level.LOW));
        Outside.Kind kind = (Outside.Kind) UNSAFE.allocateInstance(Outside.Kind.class);
        System.out.println(made.kind(kind) + " " + made.kind(Outside.Kind.ONE) + made.same(kind, kind));
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static Object allocate(Class<?> type) throws InstantiationException {
        return UNSAFE.allocateInstance(type);
    }
}

class Outside {
    private final String name = "made";

    enum Kind { ONE, TWO }

    @Override
    public String toString() {
        return name == null ? "not made" : name;
    }
}

enum Level {
    LOW, HIGH;

    boolean isLow() {
        return this == LOW;
    }
}

class Inside {
    int size = 3;
    private final String text = "text".trim();

    String describe() {
        return text + size;
    }

    String takes(Outside other) {
        return "<" + other + ">" + new Outside();
    }

    String allocates() throws InstantiationException {
        Inside other = (Inside) Main.allocate(Inside.class);
        Object outside = Main.allocate(Outside.class);
        return other.describe() + (outside instanceof Outside) + new Inside().describe();
    }

    String level(Level level) {
        return level + " " + level.isLow() + " " + level.ordinal();
    }

    String kind(Outside.Kind kind) {
        return kind + " " + kind.name() + " " + (kind == Outside.Kind.ONE);
    }

    boolean same(Outside.Kind a, Outside.Kind b) {
        return a == b;
    }
}
