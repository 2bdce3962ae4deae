import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * The outside asks functions of the inside for their classes and hands these in,
 * before the inside has asked for any of them.
 */
public class Main {
    static final List<Object> FUNCTIONS = new ArrayList<>();

    public static void main(String[] args) {
        Inside inside = new Inside();
        inside.gives();
        for (Object function : FUNCTIONS) {
            System.out.println(inside.known(function.getClass()));
        }
        // In another order than they were let out in.
        System.out.println(inside.isOf(FUNCTIONS.get(2).getClass(), FUNCTIONS.get(2)));
        System.out.println(inside.isOf(FUNCTIONS.get(1).getClass(), FUNCTIONS.get(0)));
        inside.givesMore();
        Object last = FUNCTIONS.get(FUNCTIONS.size() - 1);
        System.out.println(inside.isOf(last.getClass(), last));
        Object other = FUNCTIONS.get(FUNCTIONS.size() - 2);
        System.out.println(inside.isOf(other.getClass(), other) + " " + inside.known(other.getClass()));
    }

    static void keeps(Object function) {
        FUNCTIONS.add(function);
    }
}

class Inside {
    private final List<Class<?>> classes = new ArrayList<>();

    void gives() {
        IntUnaryOperator twice = i -> 2 * i;
        Supplier<String> name = () -> "name" + this.getClass().getName();
        Runnable nothing = () -> { };
        // One that the outside never sees, and is called here.
        IntUnaryOperator own = i -> i + 1;
        Main.keeps(nothing);
        own.applyAsInt(3);
        Main.keeps(twice);
        Main.keeps(name);
    }

    void givesMore() {
        Supplier<Integer> size = classes::size;
        Supplier<List<?>> list = ArrayList::new;
        size.get();
        Main.keeps(list);
        Main.keeps(size);
    }

    boolean known(Class<?> c) {
        boolean known = classes.contains(c);
        classes.add(c);
        return known;
    }

    /** Which compares class objects, as they came in. */
    boolean isOf(Class<?> c, Object o) {
        return o.getClass() == c;
    }
}
