import java.util.ArrayList;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** References to methods that an inside class has inherited from outside. */
public class Main {
    public static void main(String[] args) {
        Inside inside = new Inside();
        System.out.println(inside.own());
        System.out.println(inside.inherited());
        System.out.println(inside.inheritedStatic());
        System.out.println(inside.listed());
        System.out.println(inside.defaulted());
    }
}

interface Named {
    default String called() {
        return "named " + hook();
    }

    String hook();
}

class Base extends ArrayList<String> {
    String hello() {
        return "hello " + hook();
    }

    static String greet() {
        return "greetings";
    }

    String hook() {
        return "base";
    }
}

class Inside extends Base implements Named {
    private static final long serialVersionUID = 1;

    String own() {
        Supplier<String> s = this::hook;
        return s.get();
    }

    String inherited() {
        Supplier<String> s = this::hello;
        return s.get();
    }

    String inheritedStatic() {
        Supplier<String> s = Inside::greet;
        return s.get();
    }

    int listed() {
        add("one");
        IntSupplier s = this::size;
        return s.getAsInt();
    }

    String defaulted() {
        Supplier<String> s = this::called;
        return s.get();
    }

    @Override
    public String hook() {
        return "inside";
    }
}
