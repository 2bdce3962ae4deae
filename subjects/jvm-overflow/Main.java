import java.util.function.IntUnaryOperator;

/** The stack overflows inside and outside; afterwards crossings are seen as before. */
public class Main {
    public static void main(String[] args) {
        Deep deep = new Deep();
        System.out.println(deep.survives());
        try {
            deep.forever(1);
        } catch (StackOverflowError e) {
            System.out.println("main caught it");
        }
        System.out.println(deep.after());
    }

    static int bounce(IntUnaryOperator f, int i) {
        return f.applyAsInt(i) + 1;
    }
}

class Deep {
    String survives() {
        try {
            return "" + both(0);
        } catch (StackOverflowError e) {
            return "survived";
        }
    }

    private int both(int i) {
        return Main.bounce(this::both, i + 1);
    }

    int forever(int i) {
        return forever(i + 1) + 1;
    }

    int after() {
        return 42;
    }
}
