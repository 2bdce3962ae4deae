package reprise.scheduler;

/**
 * Whom a thread that runs freely is known to come after: words of others, one for each thread, by
 * the last bits of its number. There is room for as many as were met; with very many some are
 * forgotten, and orders are written down that follow from others.
 */
final class Seen {
    /** Nobody. */
    static final Seen NOBODY = new Seen();
    private static final int MOST = 1 << 12;

    private long[] words = new long[8];
    private int count;

    /** Whether that step of a thread, or a later one of it, was met. */
    boolean has(long word) {
        long known = words[FreeThread.of(word) & words.length - 1];
        return FreeThread.of(known) == FreeThread.of(word) && known >= (word & Long.MAX_VALUE);
    }

    /** It is met. */
    void add(long word) {
        int thread = FreeThread.of(word);
        int at = thread & words.length - 1;
        if (words[at] == 0) {
            count++;
        } else if (FreeThread.of(words[at]) != thread && 2 * count > words.length && count < MOST) {
            grow();
            add(word);
            return;
        }
        words[at] = word & Long.MAX_VALUE;
    }

    private void grow() {
        long[] before = words;
        words = new long[2 * before.length];
        count = 0;
        for (long word : before) {
            if (word != 0) {
                // No two of them meet: there are more bits now.
                words[FreeThread.of(word) & words.length - 1] = word;
                count++;
            }
        }
    }

    /** The last step of each of them; 0 is nobody's. */
    long[] words() {
        return words;
    }
}
