import java.util.function.IntUnaryOperator;

/** What it loads. */
public class Work implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        return Integer.parseInt("4") + new Part().twice(Math.max(x, 2)) + missing(x);
    }

    private int missing(int x) {
        try {
            return x > 3 ? new Missing().hashCode() : 0;
        } catch (NoClassDefFoundError expected) {
            return 1000 + orphan() + called();
        }
    }

    private int orphan() {
        try {
            return new Orphan().hashCode();
        } catch (NoClassDefFoundError expected) {
            return 2000;
        }
    }

    private int called() {
        try {
            return Missing.twice(4);
        } catch (NoClassDefFoundError expected) {
            return 4000;
        }
    }

    /** The loader says that it has no such class. */
    static class Missing {
        static int twice(int x) {
            return 2 * x;
        }
    }

    /** The class above it is missing. */
    static class Orphan extends Gone {
    }
}

class Part {
    int twice(int x) {
        return 2 * x;
    }
}

class Gone {
}
