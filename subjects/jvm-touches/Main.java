/**
 * Static fields of outside classes that the inside writes to: the first write
 * runs the initialiser, which calls back, or fails.
 */
public class Main {
    static final Inside INSIDE = new Inside();
    static int seen;

    public static void main(String[] args) {
        System.out.println(INSIDE.writes());
        System.out.println(Counter.value + " " + Counter.before);
        System.out.println(INSIDE.fails());
        System.out.println(INSIDE.failsAgain());
        System.out.println(INSIDE.above() + " " + seen);
        System.out.println(INSIDE.makes());
    }
}

class Counter {
    static int before = Main.INSIDE.during("counter");
    static int value = 3;
}

class Broken {
    static long value;
    static {
        if (Main.INSIDE.during("broken") > 0) {
            throw new IllegalStateException("no");
        }
    }
}

class Upper {
    static String name = "upper" + Main.INSIDE.during("upper");
}

class Lower extends Upper {
    static {
        Main.seen++;
    }
}

class Made {
    static Object last;
    static final Made ONE = new Made();

    Made() {
        last = this;
        Main.INSIDE.during("made");
    }
}

class Inside {
    private int calls;

    int during(String who) {
        calls++;
        return who.length() + calls;
    }

    String writes() {
        Counter.value = 7;
        Counter.value += 2;
        return Counter.value + " " + calls;
    }

    String fails() {
        try {
            Broken.value = 5L;
            return "written";
        } catch (ExceptionInInitializerError e) {
            return "failed with " + e.getCause().getMessage() + calls;
        }
    }

    String failsAgain() {
        try {
            Broken.value = 6L;
            return "written";
        } catch (NoClassDefFoundError e) {
            return "not there " + calls;
        }
    }

    /** The subclass is named, the superclass is initialised. */
    String above() {
        String before = "" + calls;
        Lower.name = "written";
        return before + Upper.name + calls;
    }

    String makes() {
        Made.last = null;
        return Made.last + " " + (Made.ONE != null) + calls;
    }
}
