import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Lambdas that the inside makes and either side calls. */
public class Main {
    public static void main(String[] args) {
        Pipe pipe = new Pipe(10);
        System.out.println(pipe.adder().apply(5));
        System.out.println(pipe.sum(Arrays.asList(1, 2, 3)));
        System.out.println(pipe.own());
        System.out.println(pipe.take(() -> "from outside"));
        Function<Integer, Integer> adder = pipe.adder();
        System.out.println(pipe.isItsClass(adder) + " " + pipe.isItsClass("text") + " " + pipe.ownClass());
    }

    static Class<?> classOf(Object o) {
        return o.getClass();
    }
}

class Pipe {
    private final int base;

    Pipe(int base) {
        this.base = base;
    }

    Function<Integer, Integer> adder() {
        return n -> n + base;
    }

    int sum(List<Integer> numbers) {
        return numbers.stream().map(n -> n * base).collect(Collectors.toList()).get(2);
    }

    /** Made and called inside: no event. */
    int own() {
        Function<Integer, Integer> twice = n -> 2 * n;
        return twice.apply(4);
    }

    String take(Supplier<String> supplier) {
        return supplier.get();
    }

    /** A class comes in that only this JVM knows by its name. */
    boolean isItsClass(Object function) {
        Class<?> own = function.getClass();
        return own == Main.classOf(function);
    }

    /** The class was never outside. */
    boolean ownClass() {
        Supplier<String> own = () -> "own";
        Class<?> c = own.getClass();
        return c == own.getClass() && c.isInstance(own) && !c.isInstance(this);
    }
}
