// A semaphore that is released by who did not get it. Fails with a status.

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

public class SemaphoreLeak {
    static final Semaphore PLACES = new Semaphore(1);
    static final AtomicInteger INSIDE = new AtomicInteger();
    static volatile boolean crowded;

    static void visit() {
        try {
            if (PLACES.tryAcquire()) {
                if (INSIDE.incrementAndGet() > 1) {
                    crowded = true;
                }
                INSIDE.decrementAndGet();
            }
        } finally {
            PLACES.release();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            threads[i] = new Thread(SemaphoreLeak::visit);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.exit(crowded ? 1 : 0);
    }
}
