// Virtual threads and platform threads meet at monitors, locks, queues, atomics and in a pool
// with a virtual thread for each task, sleep, wait for a time, join and interrupt each other.
// All is made by reflection that needs a newer JDK, so that every one compiles this; on one
// that has no virtual threads it prints so.

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

public class Main {
    private static final List<String> MARKS = new ArrayList<>();

    private static synchronized void mark(String text) {
        MARKS.add(text);
    }

    public static void main(String[] arguments) throws Exception {
        Method start;
        ExecutorService pool;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            pool = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException none) {
            System.out.println("no virtual threads here");
            return;
        }
        AtomicInteger counter = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(3);
        ReentrantLock lock = new ReentrantLock();
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        Runnable adds = () -> {
            lock.lock();
            try {
                mark("adds " + counter.incrementAndGet());
            } finally {
                lock.unlock();
            }
            done.countDown();
        };
        new Thread(adds).start();
        Thread[] threads = new Thread[4];
        threads[0] = (Thread) start.invoke(null, adds);
        threads[1] = (Thread) start.invoke(null, adds);
        threads[2] = (Thread) start.invoke(null, (Runnable) () -> {
            try {
                for (int number = 0; number < 3; number++) {
                    queue.put("item " + number);
                    Thread.sleep(1);
                }
                synchronized (queue) {
                    queue.wait(5);
                }
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupted) {
                mark("interrupted");
            }
        });
        threads[3] = (Thread) start.invoke(null, (Runnable) () -> {
            try {
                for (String item = queue.take(); item != null; item = queue.poll(20, TimeUnit.MILLISECONDS)) {
                    mark(item);
                }
            } catch (InterruptedException interrupted) {
                mark("not this one");
            }
        });
        List<Future<Integer>> results = new ArrayList<>();
        for (int task = 0; task < 3; task++) {
            int number = task;
            results.add(pool.submit(() -> {
                mark("task " + number);
                return number * counter.get();
            }));
        }
        done.await();
        threads[3].join();
        threads[2].interrupt();
        for (Thread thread : threads) {
            thread.join();
        }
        pool.shutdown();
        System.out.println("the pool has ended: " + pool.awaitTermination(10, TimeUnit.SECONDS));
        for (Future<Integer> result : results) {
            mark(String.valueOf(result.get()));
        }
        System.out.println("the counter is " + counter.get() + ", " + MARKS);
    }
}
