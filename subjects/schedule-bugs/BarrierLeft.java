// Barrier misuse: one sees the end and leaves, the other one waits for it. Deadlock.

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

public class BarrierLeft {
    static volatile boolean stop;

    public static void main(String[] arguments) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Runnable works = () -> {
            try {
                while (!stop) {
                    barrier.await();
                }
            } catch (InterruptedException | BrokenBarrierException never) {
                System.exit(2);
            }
        };
        Thread one = new Thread(works);
        Thread other = new Thread(works);
        one.start();
        other.start();
        stop = true;
        one.join();
        other.join();
    }
}
