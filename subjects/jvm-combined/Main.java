import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Functions of the inside that default methods combine: those of the JDK, of the outside and of the inside. */
public class Main {
    public static void main(String[] args) {
        Combined combined = new Combined(3);
        System.out.println(combined.both(4, 6) + " " + combined.chained(5) + " " + combined.sorted(List.of("pear", "fig", "apple", "nut")));
        System.out.println(combined.own(2) + " " + combined.theirs(7));
    }
}

/** Outside. */
interface Named {
    String name();

    default String greeting() {
        return "hello " + name();
    }
}

/** Inside. */
interface Step {
    int step(int from);

    default Step twice() {
        return from -> step(step(from));
    }
}

class Combined {
    private final int limit;

    Combined(int limit) {
        this.limit = limit;
    }

    private boolean above(int a, int b) {
        return a > limit && b > limit;
    }

    private boolean equal(int a, int b) {
        return a == b;
    }

    boolean both(int a, int b) {
        BiPredicate<Integer, Integer> above = this::above;
        BiPredicate<Integer, Integer> equal = this::equal;
        return above.or(equal).and(equal.negate()).test(a, b);
    }

    int chained(int from) {
        Function<Integer, Integer> add = x -> x + limit;
        BiFunction<Integer, Integer, Integer> times = (x, y) -> x * y;
        IntUnaryOperator half = x -> x / 2;
        return times.andThen(add).apply(from, 2) + add.compose(add).apply(1) + half.andThen(x -> x + 1).applyAsInt(9);
    }

    List<String> sorted(List<String> words) {
        List<String> sorted = new ArrayList<>(words);
        Comparator<String> byLength = (a, b) -> a.length() - b.length();
        Predicate<String> nuts = "nut"::equals;
        sorted.removeIf(nuts.negate().negate());
        sorted.sort(byLength.reversed().thenComparing(Comparator.naturalOrder()));
        return sorted;
    }

    int own(int from) {
        Step step = x -> x * limit;
        return step.twice().twice().step(from);
    }

    String theirs(int number) {
        Supplier<String> text = () -> "number " + number;
        Named named = text::get;
        return named.greeting();
    }
}
