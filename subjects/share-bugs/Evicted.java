// A cache keeps the two dozen entries that were added last. One thread adds an entry and takes for
// granted that it is still there when it needs it.

public class Evicted {
    private static final int SIZE = 24;

    private static final String[] keys = new String[SIZE];
    private static final int[] values = new int[SIZE];
    private static int next;
    private static int hits;
    private static int misses;
    private static int added;
    private static int total;
    private static volatile boolean done;

    private static synchronized void add(String key, int value) {
        keys[next] = key;
        values[next] = value;
        next = (next + 1) % SIZE;
        added++;
    }

    private static synchronized Integer get(String key) {
        for (int at = 0; at < SIZE; at++) {
            if (key.equals(keys[at])) {
                hits++;
                return values[at];
            }
        }
        misses++;
        return null;
    }

    private static void asks() {
        try {
            for (int i = 0; i < 20; i++) {
                add("mine" + i, i);
                Noise.rarely(30);
                total += get("mine" + i);
            }
        } finally {
            done = true;
        }
    }

    private static void fills() {
        for (int i = 0; !done; i++) {
            if (get("other" + i) == null) {
                add("other" + i, i);
            }
            Thread.yield();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(Evicted::asks, Evicted::fills);
    }
}
