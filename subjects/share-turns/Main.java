import java.util.concurrent.locks.ReentrantLock;

/**
 * Fails only if two threads take turns all the time, which pauses make them do and chance
 * does not. What they share is guarded by a monitor or, with an argument, by a lock.
 */
public class Main {
    private static final int ROUNDS = 10;
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static int last;
    private static int streak;
    private static int owner;
    private static int turns;

    private static void inMonitor(int me) {
        synchronized (MONITOR) {
            streak = last == me ? 0 : streak + 1;
            last = me;
            if (streak == 2 * ROUNDS) {
                throw new IllegalStateException("they took turns");
            }
        }
    }

    private static void withLock(int me) {
        LOCK.lock();
        try {
            turns = owner == me ? 0 : turns + 1;
            owner = me;
            if (turns == 2 * ROUNDS) {
                throw new IllegalStateException("they took turns");
            }
        } finally {
            LOCK.unlock();
        }
    }

    private static void takes(int me, boolean lock, long pause) {
        try {
            Thread.sleep(me * pause);
            for (int round = 0; round < ROUNDS; round++) {
                if (lock) {
                    withLock(me);
                } else {
                    inMonitor(me);
                }
                Thread.sleep(2 * pause);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long pause = Long.getLong("pause", 0);
        boolean lock = args.length > 0;
        Thread first = new Thread(() -> takes(1, lock, pause));
        Thread second = new Thread(() -> takes(2, lock, pause));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
