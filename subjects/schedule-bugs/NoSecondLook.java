// A read lock is given up for a write lock, and nobody looks again. Fails with a status.

import java.util.concurrent.locks.ReentrantReadWriteLock;

public class NoSecondLook {
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();
    static boolean done;
    static int times;

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    static void once() {
        LOCK.readLock().lock();
        boolean todo = !done;
        LOCK.readLock().unlock();
        if (todo) {
            LOCK.writeLock().lock();
            done = true;
            times++;
            LOCK.writeLock().unlock();
        }
    }

    public static void main(String[] arguments) throws Exception {
        both(NoSecondLook::once, NoSecondLook::once);
        System.exit(times == 1 ? 0 : 1);
    }
}
