import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Synchronisers that a program makes below those of the JDK. The JDK calls them back in the midst of
 * what it does, as often as it finds threads in its queue: how often that is shows in what order they came.
 */
public class Main {
    private static final int THREADS = 3;
    private static final int ROUNDS = 60;

    /** How often each kind of method was called, and what came of it. */
    private static final AtomicInteger ACQUIRES = new AtomicInteger();
    private static final AtomicInteger SHARES = new AtomicInteger();
    private static final StringBuilder ORDER = new StringBuilder();

    /** A lock. */
    private static final class Lock extends AbstractQueuedSynchronizer {
        @Override
        protected boolean tryAcquire(int number) {
            ACQUIRES.incrementAndGet();
            return compareAndSetState(0, number);
        }

        @Override
        protected boolean tryRelease(int number) {
            setState(0);
            return true;
        }
    }

    /** What the two latches have in common is a class of the program, too. */
    private abstract static class Counted extends AbstractQueuedSynchronizer {
        /** Changes the count, again if another thread has done so meanwhile. */
        final void add(int number) {
            int before;
            do {
                before = getState();
            } while (!compareAndSetState(before, before + number));
            if (before + number == 0) {
                releaseShared(1);
            }
        }
    }

    /** A latch that can be closed again. */
    private static final class Latch extends Counted {
        @Override
        protected int tryAcquireShared(int number) {
            SHARES.incrementAndGet();
            return getState() == 0 ? 1 : -1;
        }

        @Override
        protected boolean tryReleaseShared(int number) {
            return getState() == 0;
        }
    }

    /** A phaser that says who was the last. */
    private static final class Phases extends Phaser {
        final StringBuffer last = new StringBuffer();

        Phases() {
            super(THREADS);
        }

        @Override
        protected boolean onAdvance(int phase, int parties) {
            last.append(Thread.currentThread().getName());
            return super.onAdvance(phase, parties);
        }
    }

    /** Synchronises in methods of an interface of the JDK's, by which it is called. */
    private static final class Saved implements Savepoint {
        private final StringBuilder by = new StringBuilder();

        @Override
        public synchronized int getSavepointId() {
            by.append(Thread.currentThread().getName());
            return by.length();
        }

        @Override
        public synchronized String getSavepointName() {
            return by.toString();
        }
    }

    /** A task that says when it is done. */
    private static final class Task extends FutureTask<String> {
        volatile String by = "nobody";

        Task() {
            super(() -> Thread.currentThread().getName());
        }

        @Override
        protected void done() {
            by = Thread.currentThread().getName();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Lock lock = new Lock();
        Latch latch = new Latch();
        Phases phases = new Phases();
        Savepoint saved = new Saved();
        Task[] tasks = new Task[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            tasks[i] = new Task();
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                try {
                    work(lock, latch, phases, saved, tasks);
                } catch (SQLException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }, "" + (char) ('a' + i)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        StringBuilder done = new StringBuilder();
        for (Task task : tasks) {
            done.append(task.get()).append(task.by);
        }
        System.out.println(ORDER);
        System.out.println(phases.last);
        System.out.println(done);
        System.out.println(saved.getSavepointName());
        System.out.println(ACQUIRES.get() + " " + SHARES.get());
    }

    private static void work(Lock lock, Latch latch, Phases phases, Savepoint saved, Task[] tasks) throws SQLException {
        for (int i = 0; i < ROUNDS; i++) {
            lock.acquire(1);
            ORDER.append(Thread.currentThread().getName());
            lock.release(1);
            latch.add(1);
            latch.add(-1);
            latch.acquireShared(1);
            tasks[i].run();
            if (i % 10 == 0) {
                phases.arriveAndAwaitAdvance();
                for (int times = 0; times < 200; times++) {
                    saved.getSavepointId();
                }
            }
        }
    }
}
