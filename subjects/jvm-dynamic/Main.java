import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Outside code that invokedynamic calls: concatenation, method references, records. */
public class Main {
    final int n;

    Main(int n) {
        this.n = n;
    }

    public static void main(String[] args) {
        Dynamic dynamic = new Dynamic();
        System.out.println(dynamic.concatenate(new Main(1), null, 'c', 7L, new Object[] {1}.length));
        System.out.println(dynamic.references());
        System.out.println(dynamic.records(new Main(2)));
        try {
            dynamic.concatenate(new Main(-1), "x", 'd', 8, 0.5);
        } catch (IllegalStateException e) {
            System.out.println("caught " + e.getMessage());
        }
    }

    static String hello(String name) {
        return "hello " + name;
    }

    @Override
    public String toString() {
        if (n < 0) {
            throw new IllegalStateException("negative");
        }
        return "main " + n;
    }
}

class Dynamic {
    String concatenate(Main main, Object o, char c, long j, double d) {
        return "<" + main + o + c + j + d + this + ">";
    }

    String references() {
        Function<String, String> outside = Main::hello;
        Function<String, String> inside = Dynamic::own;
        Supplier<List<String>> made = ArrayList::new;
        List<String> list = made.get();
        list.add(outside.apply("a"));
        list.add(inside.apply("b"));
        return String.join(",", list);
    }

    static String own(String s) {
        return s.concat("!");
    }

    boolean records(Main main) {
        Pair pair = new Pair(main, 3);
        return pair.toString().length() == 22 && pair.equals(new Pair(main, 3));
    }

    @Override
    public String toString() {
        return "dynamic";
    }
}

record Pair(Main main, int n) {}
