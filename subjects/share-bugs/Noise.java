// What all programs here have in common: threads that begin together, and moments in which
// one of them may lose the processor, as a busy machine has them.

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;

final class Noise {
    private Noise() {}

    /** A moment. */
    static void make() {
        int chance = ThreadLocalRandom.current().nextInt(8);
        if (chance == 0) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        } else if (chance < 3) {
            Thread.yield();
        }
    }

    /** A moment in which it is lost once in so many times, and then for long. */
    static void rarely(int times) {
        if (ThreadLocalRandom.current().nextInt(times) == 0) {
            try {
                Thread.sleep(2);
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        }
    }

    /** Runs all of them at once, to their end. */
    static void run(Runnable... all) throws InterruptedException {
        CountDownLatch begin = new CountDownLatch(1);
        Thread[] threads = new Thread[all.length];
        for (int at = 0; at < all.length; at++) {
            Runnable one = all[at];
            threads[at] = new Thread(() -> {
                // Whatever is needed for it first is there.
                ThreadLocalRandom.current().nextInt();
                try {
                    begin.await();
                } catch (InterruptedException never) {
                    throw new IllegalStateException(never);
                }
                one.run();
            });
            threads[at].start();
        }
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void check(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException(what);
        }
    }
}
