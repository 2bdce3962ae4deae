/**
 * The use of a static volatile field initialises its class, and the initialiser has uses of its own: both
 * count as often when recorded as when played, or another thread would be waited for at the wrong place.
 */
public class Main {
    public static void main(String[] args) throws InterruptedException {
        System.out.println(Work.reads());
        inThread(Work::writes);
        System.out.println(Work.reads());
        inThread(Work::reads);
        Work.writes();
        System.out.println(Work.reads());
    }

    private static void inThread(Runnable work) throws InterruptedException {
        Thread thread = new Thread(work, "other");
        thread.start();
        thread.join();
    }
}

class Work {
    static volatile int turns;

    static long reads() {
        turns++;
        return Late.count + Later.sum + turns;
    }

    static void writes() {
        Latest.last = "written " + Work.turns++;
        Late.count++;
        Later.sum += Late.count;
    }
}

class Late {
    static volatile int count = 1;
    private static volatile int made;

    static {
        for (int i = 0; i < 3; i++) {
            made += Later.sum > 0 ? 1 : 2;
            Work.turns += made;
        }
    }
}

class Later {
    static volatile long sum = 40;

    static {
        synchronized (Later.class) {
            sum += Work.turns;
        }
    }
}

/** Written first. */
class Latest {
    static volatile String last = "turns: " + ++Work.turns;
}
