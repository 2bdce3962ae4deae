/**
 * Inside classes below outside ones: whoever uses such a class first runs the
 * initialiser of the outside one, which calls back, writes to an inside field,
 * or fails. No instruction says so.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside();
        System.out.println(inside.makes());
        System.out.println(inside.calls());
        System.out.println(inside.reads());
        System.out.println(inside.writes());
        System.out.println(inside.byName());
        System.out.println(inside.byReflection());
        System.out.println(inside.byInterface());
        System.out.println(inside.byLayers());
        System.out.println(inside.written());
        System.out.println(inside.fails());
        System.out.println(inside.failsAgain());
        System.out.println(new BelowLate().hashCode() + " " + Inside.calls);
        System.out.println(inside.late());
    }
}

class Made {
    static final int SEEN = Inside.during("made");
}

class Called {
    static final int SEEN = Inside.during("called");
}

class Read {
    static final int SEEN = Inside.during("read");
}

class Written {
    static final int SEEN = Inside.during("written");
}

class Named {
    static final int SEEN = Inside.during("named");
}

class Reflected {
    static final int SEEN = Inside.during("reflected");

    public Reflected() {}
}

/** Initialised with the class that implements it, since it has a default method. */
interface Implemented {
    int SEEN = Inside.during("implemented");

    default int more() {
        return SEEN;
    }
}

/** Not initialised with it. */
interface Marked {
    int SEEN = Inside.during("marked");
}

class Lowest {
    static final int SEEN = Elsewhere.seen;
}

class Elsewhere {
    static int seen = Inside.during("elsewhere");
}

class Middle extends Lowest {
    static final int SEEN = Inside.during("middle");
}

class Writes {
    static {
        Inside.field = "set";
    }
}

class Fails {
    static {
        if (Inside.during("fails") > 0) {
            throw new IllegalStateException("no");
        }
    }
}

class Late {
    static final int SEEN = Inside.during("late");
}

class Inside {
    static int calls;
    static String field = "unset";

    static int during(String who) {
        calls++;
        return who.length() + calls;
    }

    int makes() {
        int before = calls;
        new BelowMade();
        new BelowMade();
        return before * 100 + calls;
    }

    String calls() {
        int before = calls;
        return before + " " + BelowCalled.twice(calls) + " " + BelowCalled.twice(calls);
    }

    String reads() {
        int before = calls;
        return before + " " + BelowRead.value + " " + calls;
    }

    String writes() {
        int before = calls;
        BelowWritten.value = calls;
        return before + " " + BelowWritten.value + " " + calls;
    }

    String byName() throws ClassNotFoundException {
        int before = calls;
        Class.forName("BelowNamed");
        return before + " " + calls;
    }

    String byReflection() throws ReflectiveOperationException {
        int before = calls;
        Object made = BelowReflected.class.getDeclaredConstructor().newInstance();
        return before + " " + made + " " + calls;
    }

    String byInterface() {
        int before = calls;
        BelowImplemented made = new BelowImplemented();
        return before + " " + made.less() + " " + calls;
    }

    String byLayers() {
        int before = calls;
        return before + " " + new BelowBelow() + " " + calls;
    }

    String written() {
        String before = field;
        new BelowWrites();
        return before + " " + field;
    }

    String fails() {
        try {
            return "made " + new BelowFails();
        } catch (ExceptionInInitializerError e) {
            return "failed with " + e.getCause().getMessage() + " " + calls;
        }
    }

    String failsAgain() {
        try {
            return "made " + BelowFails.value();
        } catch (NoClassDefFoundError e) {
            return "not there " + calls;
        }
    }

    /** The outside was first. */
    String late() {
        int before = calls;
        new BelowLate();
        return before + " " + calls;
    }
}

class BelowMade extends Made {}

class BelowCalled extends Called {
    static int twice(int i) {
        return 2 * i;
    }
}

class BelowRead extends Read {
    static int value = Inside.calls * 10;
}

class BelowWritten extends Written {
    static int value;
}

class BelowNamed extends Named {
    static final int OWN = Inside.during("own");
}

class BelowReflected extends Reflected {
    public BelowReflected() {}

    @Override
    public String toString() {
        return "reflected";
    }
}

class BelowImplemented implements Implemented, Marked {
    int less() {
        return Inside.calls - 1;
    }
}

class BelowMiddle extends Middle {
    static final int OWN = Inside.during("below middle");
}

class BelowBelow extends BelowMiddle {
    @Override
    public String toString() {
        return "below " + Inside.calls;
    }
}

class BelowWrites extends Writes {}

class BelowFails extends Fails {
    static int value() {
        return 1;
    }
}

class BelowLate extends Late {
    @Override
    public int hashCode() {
        return 5;
    }
}
