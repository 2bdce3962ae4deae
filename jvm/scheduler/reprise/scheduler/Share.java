package reprise.scheduler;

import jdk.internal.misc.Unsafe;

/**
 * Threads run as they like, and which of them accessed what they share is written down, for
 * a share of that. This is what is inserted into the program for it.
 *
 * Each element has a vector: the threads that accessed it, one after the other. Accesses in
 * a row by one thread are an increment of a word; when another thread comes, the word is
 * written behind the others, and a new one begins.
 *
 * A thread that has accessed an element has it until another one takes it ({@link Taking}):
 * until then its accesses need no lock. It says which element it is at, looks whether it still
 * has it, accesses it, and says that it is done. A vector has one order for all objects of its
 * element, so it is the element that is had, and not the object.
 *
 * Words and vectors are memory that is a file, so that whoever is killed, they are there.
 * A word is the thread's number above 43 bits of a count; its sign says that somebody is
 * about to replace it. {@code reprise record} reads them.
 */
public final class Share {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** A word has the thread above so many bits for the count. */
    static final int COUNT = 43;
    /** Words that lie far apart share no line of the processor's cache. */
    private static final int APART = 6;
    /** How many words the memory of a part has. */
    private static final int PART = 8;
    private static final int WORDS = (int) (Native.room(PART) >> APART);
    /** Whether who takes an element can make all others see that, so that these need not look. */
    static final boolean ONE_SIDED = Native.barrier();

    /** Whether a share is recorded. */
    static volatile boolean on;

    private static Vector[] vectors = {};

    private Share() {}

    /** The vector of an element, as far as it is not in its word. */
    static final class Vector {
        private static final long LOCKED = 1L << 63;

        final int element;
        final long word;
        /** Where it is written who has the element. */
        final long owner;
        /** When it was taken last. */
        volatile long taken;

        private long address;
        private long end;
        private int part;
        private boolean full;

        Vector(int element, long word, long owner) {
            this.element = element;
            this.word = word;
            this.owner = owner;
        }

        /** How many accesses there have been since it was taken. Called by who has locked it. */
        long count() {
            return U.getLong(word) & (1L << COUNT) - 1;
        }

        /** Accesses of another thread follow. Called by who has locked the element. */
        void begin(int thread) {
            long stretch = U.getLong(word);
            if (stretch != 0) {
                U.putLongRelease(null, word, stretch | LOCKED);
                put(stretch);
            }
            U.putLongRelease(null, word, (long) thread << COUNT);
        }

        private void put(long stretch) {
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
        long size = (long) elements + 1 << APART;
        long owners = U.allocateMemory(size);
        U.setMemory(owners, size, (byte) 0);
        long words = 0;
        for (int element = 0; element < elements; element++) {
            if (element % WORDS == 0) {
                words = Native.room(0, "0", PART);
                if (words == 0) {
                    return;
                }
            }
            long word = words + ((long) (element % WORDS) << APART);
            all[element] = new Vector(element, word, owners + ((long) element << APART));
        }
        vectors = all;
        on = true;
        FreeTable.add(Thread.currentThread(), "0");
        Free.on = true;
    }

    /** Before an access. */
    public static void accesses(int element) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            Vector vector = vectors[element];
            me.inside = vector.owner;
            // First the one, then the other; who takes elements sees to the rest.
            if (ONE_SIDED) {
                U.loadFence();
            } else {
                U.fullFence();
            }
            if (U.getInt(vector.owner) == me.number || Taking.take(me, vector)) {
                U.putLong(vector.word, U.getLong(vector.word) + 1);
            }
        }
    }

    /** Before an access that follows another of the same element, with nothing in between. */
    public static void again(int element) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            Vector vector = vectors[element];
            if (me.inside == vector.owner) {
                U.putLong(vector.word, U.getLong(vector.word) + 1);
            }
        }
    }

    /** After accesses. */
    public static void accessed() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.isOutside();
        }
    }

    /** After a monitor has been entered, or a call that may have waited. */
    public static void entered(int element) {
        accesses(element);
        accessed();
    }
}
