// An optimistic update looks whether the version is still the same, and versions begin again
// after sixteen: who has been away for a whole round takes an old state for the present one.

import java.util.concurrent.locks.LockSupport;

public class Versions {
    private static final int ROUND = 16;

    private static int version;
    private static int value;
    private static int updates;
    private static int conflicts;
    private static int reads;
    private static int largest;
    private static volatile boolean done;
    private static final int[] history = new int[ROUND];

    private static synchronized int version() {
        return version;
    }

    private static synchronized int value() {
        reads++;
        return value;
    }

    private static synchronized boolean update(int seen, int to) {
        if (version != seen) {
            conflicts++;
            return false;
        }
        Noise.check(to == value + 1, "an update is lost");
        version = (version + 1) % ROUND;
        history[version] = to;
        value = to;
        updates++;
        return true;
    }

    private static void slow() {
        try {
            for (int round = 0; round < 40; round++) {
                int seen = version();
                int now = value();
                Noise.rarely(10);
                if (update(seen, now + 1) && now > largest) {
                    largest = now;
                }
            }
        } finally {
            done = true;
        }
    }

    private static void fast() {
        while (!done) {
            update(version(), value() + 1);
            LockSupport.parkNanos(20_000);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(Versions::slow, Versions::fast);
    }
}
