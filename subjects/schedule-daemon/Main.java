/**
 * The program ends while a daemon computes, of whose last deed others know: to keep that order, a
 * recorder has to wait for the daemon. It says which process it is when it is about to end, so
 * that a test can take the processor away from it.
 */
public class Main {
    private static volatile int seen;
    private static volatile long told;

    /** Some work, which has no place in it, for about a second. */
    private static long compute() {
        long sum = 0;
        for (long at = 0; at < 700_000_000L; at++) {
            sum = 31 * sum + (at ^ sum >>> 7);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Thread daemon = new Thread(() -> {
            seen = 1;
            for (;;) {
                told = compute();
            }
        });
        daemon.setDaemon(true);
        daemon.start();
        while (seen == 0) {
            Thread.onSpinWait();
        }
        System.out.println("ends " + ProcessHandle.current().pid());
    }
}
