// An executor gets a task after it was shut down. Fails with an exception.

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class AfterShutdown {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        Thread submits = new Thread(() -> {
            if (!pool.isShutdown()) {
                pool.execute(() -> {});
            }
        });
        submits.start();
        pool.shutdown();
        submits.join();
    }
}
