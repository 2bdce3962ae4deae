import java.io.File;
import java.util.function.IntSupplier;

/**
 * Classes that are resolved without a call: an optional dependency that is not
 * there, casts that fail on their own account, and a class loaded on the way.
 */
public class Main {
    public static void main(String[] args) {
        for (String name : new String[] {"Missing", "Inside$Own", "Inside$Like"}) {
            new File(name + ".class").delete();
        }
        Inside inside = new Inside();
        System.out.println(inside.cast(null));
        System.out.println(inside.cast("text"));
        System.out.println(inside.test("text"));
        System.out.println(inside.constant());
        System.out.println(inside.array());
        System.out.println(inside.fails("text"));
        System.out.println(inside.fails(new Other()));
        System.out.println(inside.negative(-1));
        for (String what : inside.own()) {
            System.out.println(what);
        }
    }
}

class Missing {}

class Other {
    static {
        System.out.println("Other is initialised");
    }
}

class Inside {
    /** Of the inside, and not there either. */
    static class Own {
        static int count;
        int number;

        static int of() {
            return 1;
        }

        int get() {
            return number;
        }
    }

    interface Like {
        int COUNT = Integer.parseInt("1");

        static int of() {
            return 1;
        }

        int get();
    }

    String cast(Object o) {
        try {
            return "cast " + (Missing) o;
        } catch (NoClassDefFoundError e) {
            return "no class " + e.getMessage();
        }
    }

    String test(Object o) {
        try {
            return "test " + (o instanceof Missing);
        } catch (NoClassDefFoundError e) {
            return "no class " + e.getMessage();
        }
    }

    String constant() {
        try {
            return "constant " + Missing.class.getName();
        } catch (NoClassDefFoundError e) {
            return "no class " + e.getMessage();
        }
    }

    String array() {
        try {
            return "array " + new Missing[2].length;
        } catch (NoClassDefFoundError e) {
            return "no class " + e.getMessage();
        }
    }

    String fails(Object o) {
        try {
            Other other = (Other) o;
            return other == null ? "null" : "other";
        } catch (ClassCastException e) {
            return "no cast";
        }
    }

    String negative(int size) {
        try {
            return "array " + new Other[size].length;
        } catch (NegativeArraySizeException e) {
            return "negative";
        }
    }

    private Own one;
    private Like other;

    private static String outcome(IntSupplier does) {
        try {
            return "had " + does.getAsInt();
        } catch (NoClassDefFoundError e) {
            return "no class " + e.getMessage();
        }
    }

    private static int call(IntSupplier function) {
        return function.getAsInt();
    }

    String[] own() {
        return new String[] {
            outcome(() -> Own.of()),
            outcome(() -> Like.of()),
            outcome(() -> new Own().number),
            outcome(() -> Own.count),
            outcome(() -> Like.COUNT),
            outcome(() -> one.get()),
            outcome(() -> other.get()),
            outcome(() -> one.number),
            outcome(() -> call(Own::of)),
            outcome(() -> call(Like::of)),
        };
    }
}
