// Threads that read and write elements in every way in which they may take these from each
// other. What an element has at the end tells in which order that happened: each writes what
// it makes of what it has read.

public class Main {
    private static final int ROUNDS = 20_000;
    private static final int THREADS = 4;

    /** Wanted by all of them, all the time. */
    private static int busy;
    /** One after the other, so that a thread may have the one while another has the other. */
    private static int left;
    private static int right;
    /** Now and then, while others do something else. */
    private static int seldom;
    /** By who has the monitor. */
    private static int guarded;
    /** By who has had to wait for another thread's. */
    private static volatile int turns;

    private static long between(long seed, int steps) {
        for (int i = 0; i < steps; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
        }
        return seed;
    }

    private static void work(int me) {
        long chance = me;
        for (int i = 0; i < ROUNDS; i++) {
            busy = busy * 31 + me;
            left = left * 31 + me;
            right = right * 31 + me;
            if (i % 64 == 0) {
                chance = between(chance, 1000);
                seldom = seldom * 31 + me;
            }
            if (i % 16 == 0) {
                synchronized (Main.class) {
                    guarded = guarded * 31 + me;
                }
            }
        }
        for (int i = 0; i < ROUNDS / 40; i++) {
            while (turns % THREADS != me - 1) {
                Thread.yield();
            }
            turns = turns + 1;
        }
        if (chance == 0) {
            System.out.println("never");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int me = i + 1;
            threads[i] = new Thread(() -> work(me));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("busy " + busy);
        System.out.println("left " + left);
        System.out.println("right " + right);
        System.out.println("seldom " + seldom);
        System.out.println("guarded " + guarded);
        System.out.println("turns " + turns);
    }
}
