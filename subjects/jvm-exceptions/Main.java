import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/** Exceptions in both directions, through several layers, caught, rethrown and left alone. */
public class Main {
    public static void main(String[] args) {
        Inner inner = new Inner();
        System.out.println(inner.catches());
        System.out.println(inner.layers(3));
        try {
            inner.throwsOut();
        } catch (IllegalStateException e) {
            System.out.println("main caught " + e.getMessage());
        }
        try {
            inner.passesThrough();
        } catch (NoSuchElementException e) {
            System.out.println("main caught " + e.getClass().getName());
        }
        try {
            inner.nullReceiver(null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
            System.out.println(e.getStackTrace()[0]);
        }
        try {
            new Fragile(1);
        } catch (IllegalArgumentException e) {
            System.out.println("no object: " + e.getMessage());
        }
        System.out.println(inner.after());
        throw new IllegalStateException("at the end");
    }

    static int bounce(Supplier<Integer> next) {
        return next.get();
    }
}

class Inner {
    String catches() {
        Iterator<String> empty = new java.util.ArrayList<String>().iterator();
        try {
            return empty.next();
        } catch (NoSuchElementException e) {
            return "caught";
        } finally {
            Integer.parseInt("7");
        }
    }

    /** Inside, outside, inside, outside, … and an exception that unwinds them all. */
    String layers(int depth) {
        try {
            Main.bounce(() -> deeper(depth));
            return "no";
        } catch (ArithmeticException e) {
            return "unwound";
        }
    }

    private int deeper(int depth) {
        if (depth == 0) {
            return 1 / depth;
        }
        return Main.bounce(() -> deeper(depth - 1));
    }

    void throwsOut() {
        throw new IllegalStateException("from inside");
    }

    void passesThrough() {
        new java.util.ArrayList<String>().iterator().next();
    }

    int nullReceiver(java.util.List<String> list) {
        return list.get(17).length();
    }

    int after() {
        return 42;
    }
}

class Fragile {
    Fragile(int i) {
        if (i > 0) {
            throw new IllegalArgumentException("fragile");
        }
    }
}
