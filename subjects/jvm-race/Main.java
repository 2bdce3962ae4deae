import java.util.ArrayList;
import java.util.List;

/**
 * Threads that race for monitors, for volatile fields and for a place in a row
 * of waiting ones: who comes first decides what the inside returns in the end.
 * It differs from run to run, so it is not printed.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Race race = new Race();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int me = i;
            Thread thread = new Thread(() -> race.run(me, 300), "racer-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (race.result() == 0) {
            System.out.println("nobody ran");
        }
        System.out.println(race.rounds());
    }
}

class Race {
    private static int shared;
    private final Object lock = new Object();
    private long byBlock = 1;
    private long byMethod = 1;
    private long byField = 1;
    private long byWait = 1;
    private volatile int turn;
    private volatile boolean open;
    private int inside;
    private int rounds;

    void run(int me, int count) {
        for (int i = 0; i < count; i++) {
            synchronized (lock) {
                byBlock = byBlock * 31 + me;
            }
            method(me);
            ofClass(me);
            turn = me;
            Thread.yield();
            byField(me, turn);
            if (i % 10 == 0) {
                queue(me);
            }
        }
    }

    private synchronized void method(int me) {
        byMethod = byMethod * 31 + me;
        rounds++;
    }

    private static synchronized void ofClass(int me) {
        shared = shared * 31 + me;
    }

    /** The other thread's number may have been written in between. */
    private synchronized void byField(int me, int seen) {
        byField = byField * 31 + (me == seen ? 0 : seen + 1);
    }

    /** Two at a time; the others wait. */
    private void queue(int me) {
        try {
            synchronized (this) {
                while (inside == 2) {
                    wait();
                }
                inside++;
                byWait = byWait * 31 + me;
            }
            open = !open;
            synchronized (this) {
                inside--;
                notifyAll();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    synchronized long result() {
        return byBlock ^ byMethod ^ byField ^ byWait ^ shared ^ (open ? 1 : 2);
    }

    synchronized int rounds() {
        return rounds;
    }
}
