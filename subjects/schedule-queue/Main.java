import java.lang.ref.ReferenceQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Two threads wait for each other's monitor, beside one that waits for what the garbage
 * collector might put into a queue, as threads that clean up do: a deadlock all the same.
 */
public class Main {
    private static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    private static final CountDownLatch BOTH = new CountDownLatch(2);

    private static Thread taking(Object first, Object second) {
        return new Thread(() -> {
            synchronized (first) {
                BOTH.countDown();
                try {
                    BOTH.await();
                } catch (InterruptedException interrupted) {
                    return;
                }
                synchronized (second) {
                    System.out.println("has both");
                }
            }
        });
    }

    public static void main(String[] args) throws InterruptedException {
        Thread cleaner = new Thread(() -> {
            try {
                QUEUE.remove();
            } catch (InterruptedException interrupted) {
                System.out.println("interrupted");
            }
        });
        cleaner.setDaemon(true);
        cleaner.start();
        Object one = new Object();
        Object other = new Object();
        Thread[] threads = {taking(one, other), taking(other, one)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
