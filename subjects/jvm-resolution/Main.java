import java.io.File;

/**
 * Classes that are resolved without a call: an optional dependency that is not
 * there, casts that fail on their own account, and a class loaded on the way.
 */
public class Main {
    public static void main(String[] args) {
        new File("Missing.class").delete();
        Inside inside = new Inside();
        System.out.println(inside.cast(null));
        System.out.println(inside.cast("text"));
        System.out.println(inside.test("text"));
        System.out.println(inside.constant());
        System.out.println(inside.array());
        System.out.println(inside.fails("text"));
        System.out.println(inside.fails(new Other()));
        System.out.println(inside.negative(-1));
    }
}

class Missing {}

class Other {
    static {
        System.out.println("Other is initialised");
    }
}

class Inside {
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
}
