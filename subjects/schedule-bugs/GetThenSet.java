// Lost update of an atomic number that is read and set in two steps. Fails with a status.

import java.util.concurrent.atomic.AtomicInteger;

public class GetThenSet {
    static final AtomicInteger COUNTER = new AtomicInteger();

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        Runnable adds = () -> COUNTER.set(COUNTER.get() + 1);
        both(adds, adds);
        System.exit(COUNTER.get() == 2 ? 0 : 1);
    }
}
