// Deadlock: three philosophers, each with a fork in one hand.

import java.util.concurrent.locks.ReentrantLock;

public class Philosophers {
    public static void main(String[] arguments) throws Exception {
        ReentrantLock[] forks = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            ReentrantLock left = forks[i];
            ReentrantLock right = forks[(i + 1) % 3];
            threads[i] = new Thread(() -> {
                left.lock();
                right.lock();
                right.unlock();
                left.unlock();
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
