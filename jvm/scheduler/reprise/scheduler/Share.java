package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * Threads run as they like, and which of them accessed what they share is written down, for
 * a share of that. This is what is inserted into the program for it.
 *
 * Each element has a vector: the threads that accessed it, one after the other. Accesses in
 * a row by one thread are an increment of a word; when another thread comes, the word is
 * written behind the others, and a new one begins. While an access lasts, a stripe for
 * element and object is locked, so that what is written down is what happened; a monitor
 * keeps threads apart by itself.
 *
 * Words and vectors are memory that is a file, so that whoever is killed, they are there.
 * A word is the thread's number above 43 bits of a count; its sign says that somebody is
 * about to replace it. {@code reprise record} reads them.
 */
public final class Share {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** A word has the thread above so many bits for the count. */
    private static final int COUNT = 43;
    private static final long LOCKED = 1L << 63;
    /** Words that lie far apart share no line of the processor's cache. */
    private static final int APART = 6;
    /** How many words the memory of a part has. */
    private static final int PART = 8;
    private static final int WORDS = (int) (Native.room(PART) >> APART);

    /** Whether a share is recorded. */
    static volatile boolean on;

    private static Vector[] vectors = {};

    private Share() {}

    /** The vector of an element, as far as it is not in its word. */
    private static final class Vector {
        final int element;
        final long word;
        private long address;
        private long end;
        private int part;
        private boolean full;

        Vector(int element, long word) {
            this.element = element;
            this.word = word;
        }

        /** Called by who has locked the word. */
        void put(long stretch) {
            if (address == end) {
                more();
                if (full) {
                    return;
                }
            }
            U.putLong(address, stretch);
            address += 8;
        }

        /** Without more memory the recording ends, and the program does not. */
        private void more() {
            if (full) {
                return;
            }
            if (end != 0) {
                Native.written(end - Native.room(part - 1), part - 1);
            }
            address = Native.room(element + 1, "0", part);
            full = address == 0;
            end = full ? 0 : address + Native.room(part);
            part++;
        }
    }

    /** The calling thread is main; there are so many elements. */
    static void begin(int elements) {
        Vector[] all = new Vector[elements];
        long words = 0;
        for (int element = 0; element < elements; element++) {
            if (element % WORDS == 0) {
                words = Native.room(0, "0", PART);
                if (words == 0) {
                    return;
                }
            }
            all[element] = new Vector(element, words + ((long) (element % WORDS) << APART));
        }
        vectors = all;
        on = true;
        FreeThread.add(Thread.currentThread(), "0");
        Free.on = true;
    }

    /** Before an access. */
    public static void accesses(Object object, int element) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            Stripes.hold(me, Stripes.of(object, element));
            add(me, element);
        }
    }

    /** After it. */
    public static void accessed() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
        }
    }

    /** After a monitor has been entered, or a call that may have waited. */
    public static void entered(int element) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            add(me, element);
        }
    }

    private static void add(FreeThread me, int element) {
        Vector vector = vectors[element];
        long at = vector.word;
        for (int turn = 0;; turn++) {
            long word = U.getLongVolatile(null, at);
            if (word < 0) {
                // Somebody replaces it, which takes a moment.
                if (turn > 200) {
                    Thread.yield();
                } else {
                    Thread.onSpinWait();
                }
            } else if ((int) (word >>> COUNT) == me.number) {
                if (U.compareAndSetLong(null, at, word, word + 1)) {
                    return;
                }
            } else if (U.compareAndSetLong(null, at, word, word | LOCKED)) {
                if (word != 0) {
                    vector.put(word);
                }
                U.putLongRelease(null, at, (long) me.number << COUNT | 1);
                return;
            }
        }
    }
}
