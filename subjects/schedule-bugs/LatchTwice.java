// A latch that one thread counts down twice. Fails with a status.

import java.util.concurrent.CountDownLatch;

public class LatchTwice {
    static volatile int done;

    public static void main(String[] arguments) throws Exception {
        CountDownLatch latch = new CountDownLatch(2);
        new Thread(() -> {
            done |= 1;
            latch.countDown();
            latch.countDown();
        }).start();
        new Thread(() -> {
            done |= 2;
            latch.countDown();
        }).start();
        latch.await();
        System.exit(done == 3 ? 0 : 1);
    }
}
