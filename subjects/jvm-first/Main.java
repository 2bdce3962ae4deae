/**
 * Which thread is the first to use a class is chance, and what its initialiser does is among that thread's
 * events. Whoever has less to do when recorded has more to do when played, so that another would be first.
 */
public class Main {
    private static int told;

    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < 4; round++) {
            int part = round;
            Thread maker = new Thread(() -> Work.make(part), "maker " + round);
            maker.start();
            Work.compute(part);
            maker.join();
        }
        System.out.println(Work.sum() + ", " + told + " told");
    }

    /** Outside: what an initialiser asks. */
    static synchronized int tells(String what) {
        told++;
        return what.length();
    }
}

/** Outside, and above an inside class: its initialiser runs with that of the inside one, and calls back. */
class Outer {
    static final int SEEN = Work.during("outer");
}

class Work {
    private static final Object[] MADE = new Object[16];
    private static volatile long total;

    /** Little to do for a JVM, and much for a player, which sees every object that is made. */
    static void make(int part) {
        for (int i = 0; i < 20_000; i++) {
            MADE[i & 15] = new Work();
        }
        total += use(part);
    }

    /** Much to do for both. */
    static void compute(int part) {
        long state = part + 1;
        for (int i = 0; i < 30_000_000; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
        }
        long used = use(part);
        total += state == 0 ? 1 : used;
    }

    private static long use(int part) {
        switch (part) {
            case 0: return First.value;
            case 1: return Second.value();
            case 2: return new Third().value;
            default: return new Fourth().value;
        }
    }

    static int during(String who) {
        return who.length() + Main.tells(who);
    }

    static boolean sum() {
        return total > 0;
    }
}

class First {
    static int value = Main.tells("first") + Main.tells("again");
}

class Above {
    static final int BASE = Main.tells("above");
}

class Second extends Above {
    private static int own = Main.tells("second");

    static int value() {
        return own + BASE;
    }
}

class Third extends Above {
    private static final int OWN = Main.tells("third") + Main.tells("and more");

    final int value = OWN;
}

class Fourth extends Outer {
    final int value = SEEN;
}
