/**
 * Interfaces are initialised when somebody uses what they declare, and with a class below them
 * only if they have code for its objects: who makes such an object waits for nobody.
 */
public class Main {
    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(Work::first, "first");
        thread.start();
        thread.join();
        Work.second();
    }

    static int of(String name) {
        System.out.println(name + " is initialised");
        return name.length();
    }

    static void told(int value) {
        System.out.println(value);
    }
}

/** Has no code: not initialised with what implements it. */
interface Limits {
    int MOST = Main.of("Limits");

    static int twice() {
        return 2 * MOST;
    }

    int limit();
}

/** Has code, and so is. */
interface Named {
    int LENGTH = Main.of("Named");

    default int length() {
        return LENGTH;
    }
}

class Both implements Limits, Named {
    @Override
    public int limit() {
        return 3;
    }
}

class Work {
    private static int value;

    static void first() {
        Both both = new Both();
        value = both.limit();
        Main.told(value);
    }

    static void second() {
        Main.told(value);
        Main.told(Limits.twice());
        value = new Both().length();
        Main.told(value);
    }
}
