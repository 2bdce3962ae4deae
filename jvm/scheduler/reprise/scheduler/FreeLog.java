package reprise.scheduler;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Where a thread that runs freely writes down what it does.
 *
 * What it writes are integers, into memory that is a file; {@code reprise_schedule::observed}
 * reads them. The highest four bits say what it is:
 *
 * <pre>
 * 0 nothing more        1 comes to a place     2 the same, and cannot be stopped there
 * 3 blocks at a place   4 goes on (1: because its time ran out)
 * 5 ends                6 follows thread N, up to the step in the next two integers
 * 7 came to the last place N times more
 * 8 read a value of kind N, which is in the next two integers
 * 9 read the identity hash in the next integer, of an object of type N
 * 10 as 6, if that is possible
 * 11 needs a monitor of the JDK, whose owner has called the program back
 * 12 waits for something outside
 * </pre>
 *
 * 6 to 10 are no steps, all others are. In a blocking place, 0 is park and 1 is wait; others are two more. The place {@link #OUTSIDE} is
 * wherever a thread may have to wait for something outside, {@link #TASK} wherever it begins with a
 * task of a pool.
 */
class FreeLog {
    private static final Unsafe U = Unsafe.getUnsafe();

    static final int PLACE = 1 << 28;
    static final int NO_STOP = 2 << 28;
    static final int BLOCKS = 3 << 28;
    static final int RESUMES = 4 << 28;
    static final int EXITS = 5 << 28;
    static final int FOLLOWS = 6 << 28;
    private static final int REPEATS = 7 << 28;
    private static final int VALUE = 8 << 28;
    private static final int HASH = 9 << 28;
    static final int SHOULD_FOLLOW = 10 << 28;
    static final int CONTENDS = 11 << 28;
    static final int LEAVES = 12 << 28;
    static final int OUTSIDE = (1 << 28) - 1;
    static final int TASK = OUTSIDE - 1;

    final int number;
    final String descent;
    /** Nothing is written any more. */
    boolean full;
    private int last;
    private int repeats;
    private long address;
    private long end;
    private int part;
    /** The hashes that it has written down lately. */
    private Noted known;

    FreeLog(int number, String descent) {
        this.number = number;
        this.descent = descent;
    }

    /** A place, of which many in a row take no more room than one. */
    final void place(int entry) {
        if (entry == last && repeats < PLACE - 1) {
            repeats++;
            return;
        }
        write(entry);
        last = entry;
    }

    /** How many times it came to its last place that are not written yet. */
    final int unwritten() {
        return repeats;
    }

    /** A step that is no place. */
    final void step(int entry) {
        write(entry);
        last = 0;
    }

    /** An order. */
    @DontInline
    final void order(int entry, long step) {
        write(entry);
        put((int) step);
        put((int) (step >>> 32));
        last = 0;
    }

    /** Reads something that is another value in every run. */
    final void reads(int kind, long value) {
        write(VALUE | kind);
        put((int) value);
        put((int) (value >>> 32));
    }

    /** Reads the identity hash of an object of a type. */
    final void hashes(int type, int hash) {
        if (known == null) {
            known = new Noted();
        }
        if (known.isNew(type, hash)) {
            write(HASH | type);
            put(hash);
        }
    }

    /** Nothing more is written. */
    final void finish() {
        close();
        full = true;
        known = null;
    }

    @DontInline
    private void write(int entry) {
        if (repeats > 0) {
            int times = repeats;
            repeats = 0;
            put(REPEATS | times);
        }
        put(entry);
    }

    private void put(int value) {
        if (address == end) {
            more();
            if (full) {
                return;
            }
        }
        U.putInt(address, value);
        address += 4;
    }

    /** Gets more memory that is a file. Without, the recording ends, and the program does not. */
    @DontInline
    private void more() {
        close();
        if (!full) {
            address = Native.room(number, descent, part);
            full = address == 0;
            end = full ? 0 : address + Native.room(part);
            part++;
        }
    }

    private void close() {
        if (end != 0) {
            if (part > 1) {
                // The first shares its memory with others, and most threads need no more.
                Native.written(end - Native.room(part - 1), part - 1);
            }
            address = 0;
            end = 0;
        }
    }
}
