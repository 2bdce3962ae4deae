import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Crossings in bursts; prints the nanoseconds of processor time that the quickest burst of each kind
 * took. A burst fits into the ring of its thread, and the drainer has time to empty it before the next.
 */
public class Loop {
    private static final int BURSTS = 40;
    private static final int REST = 15;
    private static final int WARM = 100;

    static volatile int sink;

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        Thread[] others = new Thread[threads - 1];
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(() -> {
                try {
                    run(rounds);
                } catch (InterruptedException end) {
                    // Nobody does that.
                }
            });
            others[i].start();
        }
        System.out.println(run(rounds));
        for (Thread other : others) {
            other.join();
        }
    }

    /** What each loop took, of this thread; it shares nothing with other threads. */
    static String run(int rounds) throws InterruptedException {
        Inside inside = new Inside();
        Outside outside = new Outside();
        for (int warm = 0; warm < WARM; warm++) {
            in(inside, rounds);
            inside.out(outside, rounds);
            inside.outWithObject(outside, rounds);
            inside.fields(rounds);
            inside.elements(rounds);
        }
        long[] least = new long[5];
        Arrays.fill(least, Long.MAX_VALUE);
        for (int burst = 0; burst < BURSTS; burst++) {
            for (int kind = 0; kind < least.length; kind++) {
                Thread.sleep(REST);
                long start = cpu();
                sink += kind == 0 ? in(inside, rounds)
                    : kind == 1 ? inside.out(outside, rounds)
                    : kind == 2 ? inside.outWithObject(outside, rounds)
                    : kind == 3 ? inside.fields(rounds)
                    : inside.elements(rounds);
                least[kind] = Math.min(least[kind], cpu() - start);
            }
        }
        return Arrays.stream(least).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    /** Of this thread, so that a busy machine does not count. */
    static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Six bits that look like chance, so that the file does not shrink to nothing. */
    static int varied(int i) {
        return i * 0x9e3779b1 >>> 26;
    }

    static int in(Inside inside, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += inside.add(varied(i));
        }
        return sum;
    }
}

class Inside {
    int count;
    private final int[] counts = new int[64];

    int add(int i) {
        count += i;
        return count & 63;
    }

    int out(Outside outside, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += Outside.mix(i * 0x9e3779b1 >>> 26);
        }
        return sum;
    }

    int outWithObject(Outside outside, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += outside.take(this) == this ? 1 : 0;
        }
        return sum;
    }

    /** Nothing crosses; where races are kept, each use of the field has its turn. */
    int fields(int rounds) {
        for (int i = 0; i < rounds; i++) {
            count += i;
        }
        return count;
    }

    int elements(int rounds) {
        for (int i = 0; i < rounds; i++) {
            counts[i & 63] += i;
        }
        return counts[1];
    }
}

class Outside {
    int taken;

    static int mix(int i) {
        return (i * 31) & 63;
    }

    Object take(Object o) {
        taken++;
        return o;
    }
}
