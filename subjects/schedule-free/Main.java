// Threads that meet in every way there is, and leave their marks in a list: its order is
// another one in almost every run, and so are the time and the random numbers in it. With
// an argument, only one of the ways.

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Main {
    interface Body {
        void run(int number) throws Exception;
    }

    private static final List<String> MARKS = new ArrayList<>();

    private static synchronized void mark(String text) {
        MARKS.add(text);
    }

    private static synchronized void print(String what) {
        System.out.println(what + " " + MARKS);
        MARKS.clear();
    }

    /** Runs three threads and waits for them. */
    private static void threads(Body body) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    body.run(number);
                } catch (Exception wrong) {
                    mark(number + " " + wrong.getClass().getSimpleName());
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void monitors() throws Exception {
        Object monitor = new Object();
        int[] turn = {0};
        threads(number -> {
            for (int i = 0; i < 3; i++) {
                synchronized (monitor) {
                    mark(number + ":" + turn[0]++);
                }
            }
        });
        print("monitors");
    }

    private static volatile int flag;

    static void volatiles() throws Exception {
        flag = 0;
        threads(number -> {
            while (flag != number) {
                Thread.onSpinWait();
            }
            mark("saw " + number);
            flag = number + 1;
            int seen = flag;
            mark(number + " sees " + (seen > number));
        });
        print("volatiles");
    }

    static void atomics() throws Exception {
        AtomicInteger next = new AtomicInteger();
        ConcurrentHashMap<Integer, Integer> owners = new ConcurrentHashMap<>();
        threads(number -> {
            for (int i = 0; i < 4; i++) {
                int taken = next.getAndIncrement();
                owners.merge(taken % 5, number, (old, own) -> 10 * old + own);
            }
        });
        print("atomics " + owners);
    }

    static void locks() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition changed = lock.newCondition();
        int[] turn = {0};
        threads(number -> {
            lock.lock();
            try {
                mark(number + " waits");
                while (turn[0] != number) {
                    changed.await();
                }
                mark(number + " goes");
                turn[0]++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        });
        print("locks");
    }

    static void meetings() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        CountDownLatch latch = new CountDownLatch(2);
        Semaphore two = new Semaphore(2);
        threads(number -> {
            mark(number + " arrives " + barrier.await());
            two.acquire();
            mark(number + " in");
            two.release();
            if (number == 2) {
                latch.await();
                mark("both");
            } else {
                latch.countDown();
            }
        });
        print("meetings");
    }

    static void queues() throws Exception {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(2);
        threads(number -> {
            for (int i = 0; i < 4; i++) {
                if (number == 0) {
                    mark("takes " + queue.take());
                    mark("takes " + queue.take());
                } else {
                    queue.put(number + "." + i);
                }
            }
        });
        print("queues");
    }

    static void pools() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            futures.add(pool.submit(() -> {
                mark(Thread.currentThread().getName() + " does " + number);
                return number;
            }));
        }
        int sum = 0;
        for (Future<Integer> future : futures) {
            sum += future.get();
        }
        CompletableFuture<Integer> later = CompletableFuture.supplyAsync(() -> 20, pool)
                .thenCombine(CompletableFuture.supplyAsync(() -> 22, pool), Integer::sum);
        sum += later.get();
        pool.shutdown();
        print("pools " + sum);
    }

    static void waits() throws Exception {
        Object monitor = new Object();
        int[] turn = {0};
        threads(number -> {
            synchronized (monitor) {
                mark(number + " comes");
                while (turn[0] != number) {
                    monitor.wait();
                }
                mark(number + " is next");
                turn[0]++;
                monitor.notifyAll();
            }
        });
        print("waits");
    }

    static void signals() throws Exception {
        Thread main = Thread.currentThread();
        threads(number -> {
            if (number == 0) {
                mark("unparks");
                LockSupport.unpark(main);
            } else if (number == 1) {
                try {
                    Thread.sleep(20);
                    mark("slept");
                } catch (InterruptedException interrupted) {
                    mark("interrupted");
                }
            } else {
                mark("interrupts nobody");
                Thread.currentThread().interrupt();
                mark("is " + Thread.interrupted());
            }
        });
        LockSupport.park();
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100_000);
            } catch (InterruptedException interrupted) {
                mark("woken");
            }
        });
        sleeper.start();
        sleeper.interrupt();
        sleeper.join();
        print("signals");
    }

    static void chances() throws Exception {
        Random random = new Random();
        threads(number -> mark(number + " reads " + System.nanoTime() + " "
                + ThreadLocalRandom.current().nextInt(1000) + " " + Math.random() + " "
                + System.identityHashCode(Thread.currentThread()) + " "
                + new Object().hashCode() + " " + UUID.randomUUID()));
        print("chances " + random.nextInt(1000) + " " + System.currentTimeMillis());
    }

    public static void main(String[] arguments) throws Exception {
        String only = arguments.length == 0 ? "" : arguments[0];
        if (only.isEmpty() || only.equals("monitors")) monitors();
        if (only.isEmpty() || only.equals("volatiles")) volatiles();
        if (only.isEmpty() || only.equals("atomics")) atomics();
        if (only.isEmpty() || only.equals("locks")) locks();
        if (only.isEmpty() || only.equals("meetings")) meetings();
        if (only.isEmpty() || only.equals("queues")) queues();
        if (only.isEmpty() || only.equals("pools")) pools();
        if (only.isEmpty() || only.equals("waits")) waits();
        if (only.isEmpty() || only.equals("signals")) signals();
        if (only.isEmpty() || only.equals("chances")) chances();
    }
}
