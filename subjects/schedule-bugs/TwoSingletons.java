// Lazy initialisation without a lock: two instances. Fails with a status.

public class TwoSingletons {
    static TwoSingletons instance;
    static int created;

    TwoSingletons() {
        created++;
    }

    static TwoSingletons get() {
        if (instance == null) {
            instance = new TwoSingletons();
        }
        return instance;
    }

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        both(TwoSingletons::get, TwoSingletons::get);
        System.exit(created == 1 ? 0 : 1);
    }
}
