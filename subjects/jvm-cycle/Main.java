import java.util.ArrayList;
import java.util.List;

/**
 * Classes whose initialisers need one another: what is above an inside class is initialised
 * first, and makes and calls objects of that class, whose own initialiser begins only then.
 */
public class Main {
    public static void main(String[] args) {
        System.out.println(Inner.name(3));
        System.out.println(Above.MADE.get(0).shows() + Above.total);
        System.out.println(new Deep(4).shows() + Base.SEEN);
        try {
            Wrong.touch();
        } catch (ExceptionInInitializerError e) {
            System.out.println(e.getCause().getMessage());
        }
        System.out.println(Thrower.said);
    }
}

/** Is outside, and made while the inside class below it is being initialised. */
class Above {
    static final List<Inner> MADE = new ArrayList<>();
    static int total;

    static {
        MADE.add(new Inner("first"));
        total += MADE.get(0).length();
        MADE.add(new Inner("second"));
        total += Inner.count();
    }
}

class Inner extends Above {
    private static int count;
    private static final String PREFIX;
    private final String text;

    static {
        PREFIX = "made " + count + " before, " + total;
        count += 10;
    }

    Inner(String text) {
        this.text = text;
        count++;
    }

    static String name(int number) {
        return PREFIX + number + count;
    }

    static int count() {
        return count;
    }

    int length() {
        return text.length() + (PREFIX == null ? 100 : 0);
    }

    String shows() {
        return text + PREFIX + count;
    }
}

/** The same through another inside class, which is used too early in turn. */
class Base {
    static final List<String> SEEN = new ArrayList<>();

    static {
        SEEN.add(new Deep(1).shows());
        SEEN.add(Middle.says(2));
    }
}

class Upper extends Base {
    static {
        SEEN.add("upper" + Middle.says(7));
    }
}

class Deep extends Upper {
    private static final int[] ALL = {5, 6};
    private final int number;

    Deep(int number) {
        this.number = number;
    }

    String shows() {
        return number + (ALL == null ? "early" : "late" + ALL.length);
    }
}

class Middle {
    private static int calls = 40;

    static String says(int number) {
        return number + " " + ++calls;
    }
}

class Thrower {
    static String said = "";

    static {
        said += Wrong.tells();
    }
}

class Wrong extends Thrower {
    private static final int NUMBER = number();

    private static int number() {
        throw new IllegalStateException("no number, " + said);
    }

    static String tells() {
        return "told " + NUMBER;
    }

    static void touch() {}
}
