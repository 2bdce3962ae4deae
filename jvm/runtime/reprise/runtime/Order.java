package reprise.runtime;

/**
 * The order in which threads enter monitors and use volatile fields.
 *
 * A word says who was last. Only a change of threads is an event: it takes a
 * stamp first and then the word, and whoever finds that the word has changed
 * meanwhile takes another stamp. So the stamps of two threads that meet at a
 * monitor or field are in the order in which they were there.
 */
final class Order {
    private static final int STRIPES = 64;
    /** Words of their own cache lines, in bytes. */
    private static final long APART = 128;
    /** Outside the heap: what Unsafe says of arrays has other types on other releases. */
    private static final long WORDS = words();
    private static final int SPINS = 100;
    /** A thread that dies within an access must not hold up all others. */
    private static final long PATIENCE = 20_000_000L;

    private Order() {}

    private static long words() {
        long bytes = (2 * STRIPES + 1) * APART;
        long words = Ring.U.allocateMemory(bytes);
        Ring.U.setMemory(words, bytes, (byte) 0);
        return words;
    }

    /** The word of monitors is the first; then those of fields, then their locks. */
    private static long place(int word) {
        return WORDS + APART * word;
    }

    static void monitor(Recorder r) {
        comes(r, WORDS);
    }

    private static void comes(Recorder r, long word) {
        int me = r.thread;
        while (true) {
            int last = Ring.U.getIntVolatile(null, word);
            if (last == me) {
                return;
            }
            if (last != 0) {
                r.follows();
            }
            if (Ring.U.compareAndSetInt(null, word, last, me)) {
                return;
            }
        }
    }

    /** Waits for the turn at a stripe of fields. */
    static void begin(Recorder r, int stripe) {
        long lock = place(1 + STRIPES + stripe);
        long since = 0;
        for (int tries = 0; !Ring.U.compareAndSetInt(null, lock, 0, r.thread); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
                continue;
            }
            // Whoever is there may be waiting for this processor.
            Thread.yield();
            long now = System.nanoTime();
            if (since == 0) {
                since = now;
            } else if (now - since > PATIENCE) {
                break;
            }
        }
        comes(r, place(1 + stripe));
    }

    static void end(int stripe) {
        Ring.U.putIntRelease(null, place(1 + STRIPES + stripe), 0);
    }
}
