// Lost signal of a condition. Deadlock.

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class LostSignal {
    public static void main(String[] arguments) throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition ready = lock.newCondition();
        new Thread(() -> {
            lock.lock();
            ready.signal();
            lock.unlock();
        }).start();
        lock.lock();
        ready.await();
        lock.unlock();
    }
}
