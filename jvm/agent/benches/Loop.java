import java.lang.management.ManagementFactory;

/** Crossings in a loop; prints the nanoseconds of processor time that each kind took. */
public class Loop {
    static volatile int sink;

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        Thread[] others = new Thread[threads - 1];
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(() -> run(rounds));
            others[i].start();
        }
        System.out.println(run(rounds));
        for (Thread other : others) {
            other.join();
        }
    }

    /** What each loop took, of this thread; it shares nothing with other threads. */
    static String run(int rounds) {
        Inside inside = new Inside();
        Outside outside = new Outside();
        for (int warm = 0; warm < 5; warm++) {
            in(inside, rounds / 2);
            inside.out(outside, rounds / 2);
            inside.outWithObject(outside, rounds / 2);
        }
        long start = cpu();
        sink += in(inside, rounds);
        long one = cpu();
        sink += inside.out(outside, rounds);
        long two = cpu();
        sink += inside.outWithObject(outside, rounds);
        long three = cpu();
        return (one - start) + " " + (two - one) + " " + (three - two);
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
