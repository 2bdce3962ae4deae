package reprise.scheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** What a thread is given that it read in another run, and how much of it it has got. */
final class Given {
    private final long[][] values;
    private final int[] counts;
    private final int[] next = new int[Values.WORDS.length];
    /** By a number for what objects are told by: how many hashes there are, then these. */
    private final Map<Integer, int[]> hashes;
    /** And how many of them have been looked at. */
    private final Map<Integer, int[]> nextHashes = new HashMap<>();
    /** Whether it is written down where the thread has parked. */
    private boolean parks;
    /** What the JDK is told of the time is so much later than it is. */
    private long shift;

    Given() {
        values = new long[Values.WORDS.length][16];
        counts = new int[Values.WORDS.length];
        hashes = new HashMap<>();
    }

    /** The same, of which nothing has been given yet. */
    Given(Given other) {
        values = other.values;
        counts = other.counts;
        hashes = other.hashes;
        parks = other.parks;
    }

    void add(String line) {
        String[] words = line.trim().split(" ");
        if (words[0].equals("hash")) {
            int kind = Integer.parseInt(words[1]);
            int[] list = hashes.getOrDefault(kind, new int[4]);
            list = list[0] + 1 < list.length ? list : Arrays.copyOf(list, 2 * list.length);
            list[++list[0]] = Integer.parseInt(words[2]);
            hashes.put(kind, list);
            return;
        }
        int kind = Values.WORDS.length - 1;
        while (kind > 0 && !line.trim().startsWith(Values.WORDS[kind])) {
            kind--;
        }
        int at = counts[kind]++;
        if (at == values[kind].length) {
            values[kind] = Arrays.copyOf(values[kind], 2 * at);
        }
        values[kind][at] = Long.parseLong(words[words.length - 1]);
        parks |= kind == Values.TIMES && values[kind][at] == Values.PARKED;
    }

    /** Adds to all hashes by kind those of this thread; 0 where there are several. */
    void addHashes(Map<Integer, Integer> all) {
        for (Map.Entry<Integer, int[]> entry : hashes.entrySet()) {
            int[] list = entry.getValue();
            for (int at = 1; at <= list[0]; at++) {
                int known = all.getOrDefault(entry.getKey(), list[at]);
                all.put(entry.getKey(), known == list[at] ? known : 0);
            }
        }
    }

    /** The next hash of that kind that no object has got; 0 for none. */
    int hash(int kind) {
        int[] list = hashes.get(kind);
        if (list == null) {
            return 0;
        }
        int[] next = nextHashes.get(kind);
        if (next == null) {
            next = new int[1];
            nextHashes.put(kind, next);
        }
        while (next[0] < list[0]) {
            int hash = list[++next[0]];
            // Threads that asked for the same object have all written its hash down.
            if (Values.GIVEN.add(Noted.both(kind, hash))) {
                return hash;
            }
        }
        return 0;
    }

    boolean has(int kind) {
        return next[kind] < counts[kind];
    }

    /**
     * The time. How often the JDK asks for it between two parks may depend on what others do
     * at that moment; then it goes on from what was told last.
     */
    long time(long now) {
        if (!tells()) {
            return now + shift;
        }
        long told = next(Values.TIMES, now);
        shift = told - now;
        return told;
    }

    /** The same, in milliseconds. */
    long date(long now) {
        return tells() ? next(Values.TIMES, now) : now;
    }

    private boolean tells() {
        return has(Values.TIMES) && values[Values.TIMES][next[Values.TIMES]] != Values.PARKED;
    }

    /** The thread parks, as it did when this was written down. */
    void parks() {
        while (parks && has(Values.TIMES) && next(Values.TIMES, 0) != Values.PARKED) {
            // It was told so then, and has not asked now.
        }
    }

    long next(int kind, long otherwise) {
        return has(kind) ? values[kind][next[kind]++] : otherwise;
    }

    /** Whether the next of that kind is about what the thread does now, counted; then that is over. */
    boolean isCounted(int kind, long count) {
        boolean counted = isNext(kind, count);
        if (counted) {
            next[kind]++;
        }
        return counted;
    }

    /** The same, and it is not over. */
    boolean isNext(int kind, long count) {
        return has(kind) && values[kind][next[kind]] == count;
    }

    /** The one behind the next of that kind; 0 for none. */
    long after(int kind) {
        return next[kind] + 1 < counts[kind] ? values[kind][next[kind] + 1] : 0;
    }

    /** The references that came out of queues, or were found empty in a table, are wanted. */
    void addReferences() {
        for (int kind : new int[] {Values.POLLED, Values.EMPTIED}) {
            for (int at = 1; at < counts[kind]; at += 2) {
                References.wants(values[kind][at]);
            }
        }
    }
}
