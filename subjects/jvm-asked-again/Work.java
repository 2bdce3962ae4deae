import java.util.function.IntSupplier;

/** Loaded by the inside loader, as is everything that it uses. */
public class Work implements IntSupplier {
    public Work() {}

    /** Who is asked is outside, and throws; whoever the JVM asks next is not asked by the inside. */
    private static int inVain(int round) {
        try {
            ClassLoader.getPlatformClassLoader().loadClass("none.such" + round);
            return 0;
        } catch (ClassNotFoundException missing) {
            return round == 0 ? First.value : Second.value;
        }
    }

    /** What is captured has its number when the function is made: that is after the class was looked for. */
    private static int captured() {
        int[] one = {Third.value};
        Fourth other = new Fourth();
        IntSupplier both = () -> one[0] + other.value();
        return Main.take(both);
    }

    public int getAsInt() {
        ClassLoader nobody = null;
        int sum = inVain(0) + inVain(1) + captured();
        try {
            nobody.loadClass("nothing");
        } catch (NullPointerException | ClassNotFoundException expected) {
            sum += Fifth.value;
        }
        return sum;
    }
}

class First {
    static int value = 1;
}

class Second {
    static int value = 2;
}

class Third {
    static int value = 3;
}

class Fourth {
    int value() {
        return 4;
    }
}

class Fifth {
    static int value = 5;
}
