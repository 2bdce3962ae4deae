package reprise.scheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import jdk.internal.misc.Unsafe;

/**
 * A thread that runs freely: how far it has come, and where that is written down.
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
 * </pre>
 *
 * Each but the last five is a step. In a blocking place, 0 is park and 1 is wait; others are two more.
 */
final class FreeThread {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final int PARKS = -2;
    static final int WAITS = -1;

    private static final int PLACE = 1 << 28;
    private static final int NO_STOP = 2 << 28;
    private static final int BLOCKS = 3 << 28;
    private static final int RESUMES = 4 << 28;
    private static final int EXITS = 5 << 28;
    private static final int FOLLOWS = 6 << 28;
    private static final int REPEATS = 7 << 28;
    private static final int VALUE = 8 << 28;
    private static final int HASH = 9 << 28;
    private static final int SHOULD_FOLLOW = 10 << 28;

    private static final int MASK = 4095;
    private static final FreeThread[] FAST = new FreeThread[MASK + 1];
    private static final Map<Long, FreeThread> ALL = new HashMap<>();
    /** With a share: all of them, by number. */
    private static volatile FreeThread[] numbered = new FreeThread[64];
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    private static final long TOLD = U.objectFieldOffset(FreeThread.class, "told");
    private static final long INSIDE = U.objectFieldOffset(FreeThread.class, "inside");
    /** A word has the thread above so many bits for the step. */
    private static final int STEPS = 43;
    private static final int MOST = (1 << 20) - 1;
    private static final long[] NOBODY = {};
    private static int count;

    final long tid;
    final int number;
    final String descent;
    int children;
    /** How many methods that the JDK may have called it is in. */
    int depth;
    int initialising;
    /** How many times a class had been initialised when it last looked. */
    int initialised;
    /** The call of the JDK that it is in; negative for none. */
    int site = -1;
    /** The thread whose end it may wait for in that call. */
    Thread joins;
    /** The stripe that it has; 0 for none. */
    long held;
    /** What it leaves there; 0 for its own word. */
    long leaves;
    /** What it found there: who was last, and behind it who had read since. */
    final long[] found = new long[Stripes.READING + 1];
    /** Whether there are any of those. */
    boolean readers;
    /** The stripe that it has given up while it waits for a monitor; 0 for none. */
    long contends;
    /** How many stripes it has given up for as long as the JDK calls the program back. */
    int suspended;
    /** Those, each behind the depth at which that was. */
    private long[] stripes = new long[8];
    /** With a share: the element that it is at, by its address; 0 for none. */
    long inside;
    /** With a share: it waits for an element. */
    volatile boolean waits;
    /** How many orders are not written down. */
    int lost;
    /** Who has started it. */
    long starter;
    /** Whether it has ended, and which step that was. */
    volatile boolean exited;
    long exit;
    /**
     * Who was the last to wake or interrupt it, or itself since. The sign: it was unparked and has
     * not parked since.
     */
    private volatile long told;

    private long steps;
    private int last;
    private int repeats;
    /** By thread: up to which step it is known to come later. */
    private long[] seen = new long[8];
    private long address;
    private long end;
    private int part;
    private boolean full;
    /** The hashes that it has written down lately. */
    private int[] known;
    /** It finds out something about a hash. */
    boolean looks;
    /** It asks a clock of the JDK. */
    boolean asks;
    /** It reads something whose amount is noted. */
    boolean reading;

    private FreeThread(long tid, int number, String descent) {
        this.tid = tid;
        this.number = number;
        this.descent = descent;
    }

    /** Adds a thread; null if there have been too many. */
    static FreeThread add(Thread thread, String descent) {
        synchronized (ALL) {
            if (count >= MOST) {
                return null;
            }
            long tid = tid(thread);
            FreeThread added = new FreeThread(tid, ++count, descent);
            if (Share.on) {
                // What it does is in the vectors.
                added.full = true;
                number(added);
                Native.report("thread", added.number + " " + descent);
            }
            ALL.put(tid, added);
            FAST[(int) tid & MASK] = added;
            return added;
        }
    }

    private static void number(FreeThread added) {
        FreeThread[] all = numbered;
        if (added.number >= all.length) {
            all = Arrays.copyOf(all, 2 * added.number);
        }
        all[added.number] = added;
        numbered = all;
    }

    /** The thread with a number; null if there is none. */
    static FreeThread numbered(int number) {
        FreeThread[] all = numbered;
        return number < all.length ? all[number] : null;
    }

    /** A thread that is not recorded after all. */
    static void forget(FreeThread thread) {
        synchronized (ALL) {
            ALL.remove(thread.tid);
            FAST[(int) thread.tid & MASK] = null;
        }
    }

    /** Whether a monitor is one of ours: who has it leaves it at once. */
    static boolean isOwn(Object monitor) {
        return monitor == ALL || monitor == Selecting.TABLE;
    }

    static FreeThread current() {
        return of(Thread.currentThread());
    }

    static FreeThread of(Thread thread) {
        long tid = tid(thread);
        FreeThread found = FAST[(int) tid & MASK];
        return found != null && found.tid == tid ? found : find(tid);
    }

    /** The number that the JVM has given a thread: a program may have another idea of getId(). */
    static long tid(Thread thread) {
        return U.getLong(thread, TID);
    }

    /** Gives a thread that has just been created another number. */
    static void number(Thread thread, long tid) {
        U.putLong(thread, TID, tid);
    }

    private static FreeThread find(long tid) {
        synchronized (ALL) {
            return ALL.get(tid);
        }
    }

    static int lost() {
        synchronized (ALL) {
            int all = 0;
            for (FreeThread thread : ALL.values()) {
                all += thread.lost;
            }
            return all;
        }
    }

    /** From now on a thread speaks for another; for itself if that is null. */
    static void alias(Thread thread, FreeThread other) {
        synchronized (ALL) {
            if (other == null) {
                ALL.remove(tid(thread));
            } else {
                ALL.put(tid(thread), other);
            }
        }
    }

    /** The thread of a word. */
    static int of(long word) {
        return (int) (word >>> STEPS) & (1 << 20) - 1;
    }

    /** Who it is and how far it has come; 0 is nobody's. */
    long word() {
        return (long) number << STEPS | steps;
    }

    /** It is at no element any more. What it did there is done. */
    void isOutside() {
        U.putLongRelease(this, INSIDE, 0);
    }

    /** Whether it is at an element; asked by other threads. */
    boolean isAt(long element) {
        return U.getLongVolatile(this, INSIDE) == element;
    }

    /** Leaves the stripe that it has. */
    void leave() {
        if (held != 0) {
            Stripes.leave(this);
        }
    }

    /** Gives up what it has until {@link #again}: the JDK calls the program. */
    void suspend() {
        if (held == 0) {
            return;
        }
        if (2 * suspended == stripes.length) {
            stripes = Arrays.copyOf(stripes, 2 * stripes.length);
        }
        stripes[2 * suspended] = depth;
        stripes[2 * suspended + 1] = held;
        suspended++;
        leave();
    }

    /** The call is over. */
    void again() {
        if (suspended > 0 && stripes[2 * suspended - 2] == depth) {
            suspended--;
            Stripes.again(this, stripes[2 * suspended + 1]);
        }
    }

    /** Comes to a place. */
    void comesTo(int place) {
        int entry = (initialising > 0 ? NO_STOP : PLACE) | place;
        int now = Initialised.count;
        if (now != initialised) {
            Initialised.notice(this, now);
        }
        steps++;
        if (entry == last && repeats < PLACE - 1) {
            repeats++;
            return;
        }
        write(entry);
        last = entry;
    }

    /** Blocks there. */
    void blocks(int place) {
        steps++;
        write(BLOCKS | place + 2);
        last = 0;
        tell(word(), false);
    }

    /** Whether it has to wait until it is unparked; if not, it follows who has done that. */
    boolean parks() {
        for (;;) {
            long now = told;
            if (now < 0) {
                if (U.compareAndSetLong(this, TOLD, now, now & Long.MAX_VALUE)) {
                    follows(now);
                    return false;
                }
            } else if (U.compareAndSetLong(this, TOLD, now, word() + 1)) {
                return true;
            }
        }
    }

    void resumes(boolean late) {
        steps++;
        write(RESUMES | (late ? 1 : 0));
        last = 0;
    }

    void exits() {
        steps++;
        write(EXITS);
        exit = word();
        exited = true;
        close();
        full = true;
        seen = NOBODY;
        known = null;
    }

    /** Its last step comes after that of another thread. */
    void follows(long word) {
        int other = of(word);
        if (other == number || other == 0 || full) {
            return;
        }
        long step = word & (1L << STEPS) - 1;
        if (other >= seen.length) {
            seen = Arrays.copyOf(seen, Math.max(other + 1, 2 * seen.length));
        }
        if (seen[other] > step) {
            return;
        }
        seen[other] = step + 1;
        write(FOLLOWS | other, step);
    }

    /** The same, where threads need not wait for one another then. */
    void shouldFollow(long word) {
        int other = of(word);
        long step = word & (1L << STEPS) - 1;
        boolean known = other < seen.length && seen[other] > step;
        if (other != number && other != 0 && !full && !known) {
            write(SHOULD_FOLLOW | other, step);
        }
    }

    private void write(int entry, long value) {
        write(entry);
        put((int) value);
        put((int) (value >>> 32));
        last = 0;
    }

    /** Reads something that is another value in every run. */
    void reads(int kind, long value) {
        write(VALUE | kind);
        put((int) value);
        put((int) (value >>> 32));
    }

    /** Reads the identity hash of an object of a type. */
    void hashes(int type, int hash) {
        if (known == null) {
            known = new int[Turn.KNOWN];
        }
        int at = hash & Turn.KNOWN - 1;
        if (known[at] != hash) {
            known[at] = hash;
            write(HASH | type);
            put(hash);
        }
    }

    /** Somebody wakes or interrupts it. Returns who was the last. */
    long tell(long word, boolean permit) {
        for (;;) {
            long now = told;
            long sign = permit ? Long.MIN_VALUE : now & Long.MIN_VALUE;
            if (U.compareAndSetLong(this, TOLD, now, word | sign)) {
                return now & Long.MAX_VALUE;
            }
        }
    }

    long told() {
        return told & Long.MAX_VALUE;
    }

    /** Whether it was unparked since it parked. */
    boolean takesPermit() {
        for (;;) {
            long now = told;
            if (now >= 0) {
                return false;
            }
            if (U.compareAndSetLong(this, TOLD, now, now & Long.MAX_VALUE)) {
                return true;
            }
        }
    }

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
            Native.written(end - Native.room(part - 1), part - 1);
            address = 0;
            end = 0;
        }
    }
}
