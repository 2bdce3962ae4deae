package reprise.runtime;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Who calls whom, counted for a dry run. */
public final class Count {
    private static final List<Count> ALL = new ArrayList<>();
    private static final ThreadLocal<Count> OWN = ThreadLocal.withInitial(Count::new);

    /** The class that runs; 0 for none that is counted. */
    private int current;
    /** Pairs of caller and callee, and how often; a hash table. */
    private long[] pairs = new long[64];
    private long[] counts = new long[64];
    private int size;

    private Count() {
        synchronized (ALL) {
            ALL.add(this);
        }
    }

    public static int enter(int type) {
        Count count = OWN.get();
        int before = count.current;
        if (before != type) {
            count.add(before, type, 1);
        }
        count.current = type;
        return before;
    }

    public static void leave(int before) {
        OWN.get().current = before;
    }

    public static void out(int type) {
        Count count = OWN.get();
        count.add(count.current, type, 1);
        count.current = type;
    }

    public static void back(int own) {
        OWN.get().current = own;
    }

    private void add(int from, int to, long times) {
        long pair = (long) from << 32 | to;
        int mask = pairs.length - 1;
        int at = (int) (pair * 0x9e3779b97f4a7c15L >>> 40) & mask;
        while (pairs[at] != 0 && pairs[at] != pair) {
            at = at + 1 & mask;
        }
        if (pairs[at] == 0) {
            if (size * 2 >= pairs.length) {
                grow();
                add(from, to, times);
                return;
            }
            pairs[at] = pair;
            size++;
        }
        counts[at] += times;
    }

    private void grow() {
        long[] oldPairs = pairs;
        long[] oldCounts = counts;
        pairs = new long[oldPairs.length * 2];
        counts = new long[oldPairs.length * 2];
        size = 0;
        for (int i = 0; i < oldPairs.length; i++) {
            if (oldPairs[i] != 0) {
                add((int) (oldPairs[i] >>> 32), (int) oldPairs[i], oldCounts[i]);
            }
        }
    }

    /** Called by the agent before the program starts. */
    static void prepare() {
        OWN.get();
    }

    /** Called by the agent at the end: threads that still run are read as they are. */
    static void report() {
        StringBuilder text = new StringBuilder();
        synchronized (ALL) {
            for (Count count : ALL) {
                long[] pairs = count.pairs;
                long[] counts = count.counts;
                for (int i = 0; i < Math.min(pairs.length, counts.length); i++) {
                    if (pairs[i] != 0) {
                        text.append("pair ").append(pairs[i] >>> 32).append(' ')
                            .append((int) pairs[i]).append(' ').append(counts[i]).append('\n');
                    }
                }
            }
        }
        Native.counted(text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
