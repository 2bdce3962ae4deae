// Computations of several threads, as benchmarks of parallel Java programs have them: some
// do little else than meet, others compute and meet now and then. The arguments are the
// kernel and how much it does; it prints what it has computed, and on the standard error
// how many milliseconds that took. The time is asked for in a way that is not recorded.

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;

public class Main {
    static final int THREADS = 2;

    interface Part {
        void run(int number) throws Exception;
    }

    static void parallel(Part part) throws Exception {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    part.run(number);
                } catch (Exception wrong) {
                    throw new IllegalStateException(wrong);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Something to compute. */
    static long work(long x, int rounds) {
        for (int i = 0; i < rounds; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            x ^= x >>> 29;
        }
        return x;
    }

    // Threads meet, and do little else.

    static long barrier(int size) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        long[] sums = new long[THREADS * 16];
        parallel(number -> {
            for (int i = 0; i < size; i++) {
                sums[number * 16] = work(sums[number * 16] + i, 20_000);
                barrier.await();
            }
        });
        return sums[0] + sums[16];
    }

    static volatile int arrived;

    static long busyWait(int size) throws Exception {
        long[] sums = new long[THREADS * 16];
        arrived = 0;
        parallel(number -> {
            for (int i = 0; i < size; i++) {
                sums[number * 16] = work(sums[number * 16] + i, 20_000);
                while (arrived != 2 * i + number) {
                    Thread.yield();
                }
                arrived = 2 * i + number + 1;
            }
        });
        return sums[0] + sums[16] + arrived;
    }

    static long waitNotify(int size) throws Exception {
        Object monitor = new Object();
        int[] turn = {0};
        long[] sum = {1};
        parallel(number -> {
            for (int i = 0; i < size; i++) {
                synchronized (monitor) {
                    while (turn[0] % THREADS != number) {
                        monitor.wait();
                    }
                    sum[0] = work(sum[0] + number, 20_000);
                    turn[0]++;
                    monitor.notifyAll();
                }
            }
        });
        return sum[0];
    }

    private static long total;

    static synchronized void add(long value) {
        total += value;
    }

    static long synchronizedMethods(int size) throws Exception {
        total = 0;
        parallel(number -> {
            long own = number;
            for (int i = 0; i < size; i++) {
                own = work(own + i, 2_000);
                add(own & 0xff);
            }
        });
        return total;
    }

    static long threadCreation(int size) throws Exception {
        long[] sum = {0};
        for (int i = 0; i < size; i++) {
            long seed = i;
            Thread thread = new Thread(() -> sum[0] += work(seed, 100_000) & 0xff);
            thread.start();
            thread.join();
        }
        return sum[0];
    }

    /** Threads that have threads do the halves of what they have to do. */
    static long forkJoin(int size) throws Exception {
        long[] sums = new long[size];
        fork(sums, 0, size, 3);
        long sum = 0;
        for (long one : sums) {
            sum += one;
        }
        return sum;
    }

    private static void fork(long[] sums, int from, int to, int depth) throws InterruptedException {
        if (depth == 0) {
            for (int i = from; i < to; i++) {
                sums[i] = work(i, 50_000);
            }
            return;
        }
        int middle = (from + to) / 2;
        Thread half = new Thread(() -> {
            try {
                fork(sums, from, middle, depth - 1);
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        });
        half.start();
        fork(sums, middle, to, depth - 1);
        half.join();
    }

    // Threads compute, and meet now and then.

    static long series(int size) throws Exception {
        double[] terms = new double[size];
        parallel(number -> {
            for (int n = number; n < size; n += THREADS) {
                double sum = 0;
                for (int k = 0; k < 2000; k++) {
                    double x = 2.0 * k / 2000;
                    sum += Math.pow(x + 1, x) * Math.cos(Math.PI * n * x) / 1000;
                }
                terms[n] = sum;
            }
        });
        double sum = 0;
        for (double term : terms) {
            sum += term;
        }
        return Math.round(sum * 1e6);
    }

    static long lu(int size) throws Exception {
        double[][] a = new double[size][size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                a[i][j] = i == j ? size : (double) ((i * 31 + j * 17) % 13) / 13;
            }
        }
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        parallel(number -> {
            for (int k = 0; k < size - 1; k++) {
                for (int i = k + 1; i < size; i++) {
                    if (i % THREADS != number) {
                        continue;
                    }
                    double factor = a[i][k] / a[k][k];
                    a[i][k] = factor;
                    double[] row = a[i];
                    double[] pivot = a[k];
                    for (int j = k + 1; j < size; j++) {
                        row[j] -= factor * pivot[j];
                    }
                }
                barrier.await();
            }
        });
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += a[i][i];
        }
        return Math.round(sum * 1e6);
    }

    static long sor(int size) throws Exception {
        int n = 600;
        double[][] g = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                g[i][j] = (i * 7 + j * 3) % 11;
            }
        }
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        parallel(number -> {
            for (int step = 0; step < size; step++) {
                for (int colour = 0; colour < 2; colour++) {
                    for (int i = 1 + number; i < n - 1; i += THREADS) {
                        double[] row = g[i];
                        double[] above = g[i - 1];
                        double[] below = g[i + 1];
                        for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
                            row[j] = 0.3125 * (above[j] + below[j] + row[j - 1] + row[j + 1])
                                    - 0.25 * row[j];
                        }
                    }
                    barrier.await();
                }
            }
        });
        double sum = 0;
        for (double[] row : g) {
            for (double x : row) {
                sum += x;
            }
        }
        return Math.round(sum * 1e3);
    }

    static long crypt(int size) throws Exception {
        int[] text = new int[size * 1000];
        int[] secret = new int[text.length];
        parallel(number -> {
            int half = text.length / THREADS;
            for (int round = 0; round < 8; round++) {
                for (int i = number * half; i < (number + 1) * half; i++) {
                    int x = (round == 0 ? i : secret[i]) + 0x9e3779b9 * (round + 1);
                    x = Integer.rotateLeft(x ^ x >>> 15, 11) * 0x85ebca6b;
                    secret[i] = x ^ text[i];
                }
            }
        });
        long sum = 0;
        for (int x : secret) {
            sum = 31 * sum + x;
        }
        return sum;
    }

    static long sparse(int size) throws Exception {
        int rows = 20_000;
        List<int[]> columns = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            int[] row = new int[10];
            for (int j = 0; j < row.length; j++) {
                row[j] = (int) (Math.abs(work(i * 10L + j, 3)) % rows);
            }
            columns.add(row);
        }
        double[] x = new double[rows];
        double[] y = new double[rows];
        java.util.Arrays.fill(x, 1.0);
        parallel(number -> {
            int half = rows / THREADS;
            for (int step = 0; step < size; step++) {
                for (int i = number * half; i < (number + 1) * half; i++) {
                    double sum = y[i];
                    for (int column : columns.get(i)) {
                        sum += x[column] * 0.5;
                    }
                    y[i] = sum;
                }
            }
        });
        double sum = 0;
        for (double value : y) {
            sum += value;
        }
        return Math.round(sum);
    }

    static long kernel(String name, int size) throws Exception {
        switch (name) {
            case "barrier": return barrier(size);
            case "busy-wait": return busyWait(size);
            case "wait-notify": return waitNotify(size);
            case "synchronized": return synchronizedMethods(size);
            case "threads": return threadCreation(size);
            case "fork-join": return forkJoin(size);
            case "series": return series(size);
            case "lu": return lu(size);
            case "sor": return sor(size);
            case "crypt": return crypt(size);
            case "sparse": return sparse(size);
            default: throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        long begin = Clock.systemUTC().millis();
        long result = kernel(arguments[0], size);
        long end = Clock.systemUTC().millis();
        System.out.println(arguments[0] + " " + result);
        System.err.println("elapsed " + (end - begin));
    }
}
