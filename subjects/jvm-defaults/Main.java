/** Default, static and private methods of interfaces, on both sides of the boundary. */
public class Main {
    public static void main(String[] args) {
        Speaker inner = new Quiet();
        System.out.println(inner.greet() + Speaker.loud("a"));
        System.out.println(new Loud().greet() + new Both().twice());
    }
}

/** Inside. */
interface Speaker {
    String name();

    default String greet() {
        return "I am ".concat(polished());
    }

    private String polished() {
        return name().trim();
    }

    static String loud(String s) {
        return s.concat("!");
    }
}

/** Outside. */
interface Doubler {
    default String twice() {
        return name() + name();
    }

    String name();
}

/** Inside. */
class Quiet implements Speaker {
    public String name() {
        return " quiet ";
    }
}

/** Outside, of an inside interface. */
class Loud implements Speaker {
    public String name() {
        return "LOUD";
    }
}

/** Inside, with an outside default method that it overrides and calls. */
class Both implements Speaker, Doubler {
    public String name() {
        return "both";
    }

    public String twice() {
        return Doubler.super.twice().concat(".");
    }
}
