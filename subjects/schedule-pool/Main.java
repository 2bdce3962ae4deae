// What java.util.concurrent has: a pool, a lock with a condition, a semaphore, a latch,
// a queue, atomics and futures. What is printed depends on the order of the threads.

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class Main {
    static final List<String> seen = new ArrayList<>();
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition changed = lock.newCondition();
    static final AtomicInteger number = new AtomicInteger();
    static final Semaphore permits = new Semaphore(1);
    static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);

    static void see(String what) {
        lock.lock();
        try {
            seen.add(what);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    static int task(int id, CountDownLatch latch) throws InterruptedException {
        permits.acquire();
        int got = number.incrementAndGet();
        see(id + "=" + got);
        permits.release();
        queue.put(got);
        latch.countDown();
        return got;
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        CountDownLatch latch = new CountDownLatch(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int id = i;
            results.add(pool.submit(() -> task(id, latch)));
        }
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sum = sum * 10 + queue.take();
        }
        latch.await();
        lock.lock();
        try {
            while (seen.size() < 4) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
        CompletableFuture<String> later = CompletableFuture
                .supplyAsync(() -> "a" + number.incrementAndGet(), pool)
                .thenCombineAsync(
                        CompletableFuture.supplyAsync(() -> "b" + number.incrementAndGet(), pool),
                        String::concat, pool);
        System.out.println(sum + " " + seen + " " + later.get());
        for (Future<Integer> result : results) {
            System.out.print(result.get() + " ");
        }
        pool.shutdown();
        System.out.println(pool.awaitTermination(1, TimeUnit.MINUTES));
    }
}
