package reprise.scheduler;

import java.util.Arrays;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Who was last at something: a word for it says which thread, and how far that had come.
 *
 * Words are told apart by the hash of an object and the name of a field. Two things that
 * share one get an order that they would not need, which is no harm.
 */
final class Stripes {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int COUNT = 1 << 12;
    /** Words that lie far apart share no line of the processor's cache. */
    private static final int APART = 4;
    /** The words of monitors, which keep threads apart by themselves. */
    private static final long MONITORS = memory(COUNT);
    /** Those of locks of the JDK's, which do too. */
    private static final long LOCKS = memory(COUNT);
    /** Those of all else. */
    private static final long WORDS = memory(COUNT + 2);
    /** One stripe more is for what pools do, whose threads run code that nobody calls. */
    static final int POOLS = COUNT;
    /** And one for tables that the JDK has for all, in which it looks before it calls the program. */
    static final int TABLES = COUNT + 1;
    /** The sign of a word: somebody is there; of a monitor's: others have left words behind it. */
    private static final long LOCKED = 1L << 63;
    /** Behind the word of who was last, as far from it, are those of who has only read since. */
    private static final long READERS = 1 << APART + 2;
    static final int READING = (int) READERS / 8;
    /** Between them, how many threads wait for it. */
    private static final long WAITERS = 8;

    private Stripes() {}

    private static long memory(int stripes) {
        long size = (long) stripes << APART + 3;
        long address = U.allocateMemory(size + 128);
        U.setMemory(address, size + 128, (byte) 0);
        return address + 127 & -128L;
    }

    private static long at(int stripe) {
        return WORDS + ((long) stripe << APART + 3);
    }

    private static long at(long table, Object monitor) {
        return table + ((long) of(monitor) << APART + 3);
    }

    static int of(Object object) {
        int hash = System.identityHashCode(object);
        return (hash ^ hash >>> 12) & COUNT - 1;
    }

    static int of(Object object, int field) {
        return (object == null ? field : of(object) + field) & COUNT - 1;
    }

    /** The thread has entered a monitor. */
    static void entered(FreeThread me, Object monitor) {
        long address = at(MONITORS, monitor);
        long word = U.getLongVolatile(null, address);
        if (FreeThread.of(word) != me.number || word < 0) {
            takes(me, address);
        }
    }

    /** The thread enters a monitor again that it has waited in. */
    static void returned(FreeThread me, Object monitor) {
        takes(me, at(MONITORS, monitor));
    }

    /** Comes after all who were there. */
    @DontInline
    private static void takes(FreeThread me, long address) {
        long word = U.getAndSetLong(null, address, me.word());
        me.follows(word);
        for (int left = 0; word < 0 && left < READING; left++) {
            me.follows(U.getAndSetLong(null, address + READERS + 8 * left, 0L));
        }
    }

    /**
     * The thread is about to leave a monitor. Somebody may have been at another one meanwhile that
     * shares the word. This one need not come after that, and between two places it cannot: it
     * may have done something since the first that the other one came after. So its word is
     * left behind the other's, for who comes next.
     */
    @DontInline
    static void leaves(FreeThread me, Object monitor) {
        long address = at(MONITORS, monitor);
        long word = U.getLongVolatile(null, address);
        if (FreeThread.of(word) == me.number
                && U.compareAndSetLong(null, address, word, me.word() | word & LOCKED)) {
            return;
        }
        long left = address + READERS + ((long) me.number << 3 & READERS - 8);
        me.follows(U.getAndSetLong(null, left, me.word()));
        do {
            word = U.getLongVolatile(null, address);
        } while (word >= 0 && !U.compareAndSetLong(null, address, word, word | LOCKED));
    }

    /** The thread has a lock of the JDK's. Returns who had it. */
    static long passes(FreeThread me, Object lock) {
        return U.getAndSetLong(null, at(LOCKS, lock), me.word());
    }

    /** Goes on with something during which the thread has blocked. */
    static void again(FreeThread me, long address) {
        if (address != 0) {
            enter(me, (int) (address - WORDS >> APART + 3));
        }
    }

    /** Takes a stripe, to change what it is of. */
    @DontInline
    static void enter(FreeThread me, int stripe) {
        long address = at(stripe);
        long word = lock(me, address);
        if (word < 0) {
            return;
        }
        me.held = address;
        me.leaves = 0;
        me.found[0] = word;
        me.follows(word);
        if (me.readers) {
            me.readers = false;
            Arrays.fill(me.found, 1, READING + 1, 0L);
        }
        for (int reader = 0; reader < READING; reader++) {
            long at = address + READERS + 8 * reader;
            long read = U.getLong(null, at);
            if (read != 0) {
                me.readers = true;
                me.found[reader + 1] = read;
                me.follows(read);
                U.putLong(null, at, 0L);
            }
        }
    }

    /** Takes a stripe, to read what it is of: who reads need not come after others who read. */
    @DontInline
    static void look(FreeThread me, int stripe) {
        long address = at(stripe);
        long word = lock(me, address);
        if (word < 0) {
            return;
        }
        me.held = address;
        // 0 would be nothing to leave; the sign is taken away.
        me.leaves = word | LOCKED;
        me.follows(word);
        long reader = address + READERS + ((long) me.number << 3 & READERS - 8);
        me.follows(U.getLong(null, reader));
        U.putLong(null, reader, me.word());
    }

    /** Locks a stripe, whose word then is the thread's. Returns what it was; negative if it is not to be had. */
    private static long lock(FreeThread me, long address) {
        long word = U.getLongVolatile(null, address);
        // Who comes back again and again would leave nothing for those who wait.
        boolean isPassed = FreeThread.of(word) == me.number && U.getInt(null, address + WAITERS) != 0;
        if (isPassed || word < 0 || !U.compareAndSetLong(null, address, word, me.word() | LOCKED)) {
            word = await(me, address, new Awaiting(isPassed));
            if (word < 0) {
                me.lost++;
            }
        }
        return word;
    }

    /** Waits for a stripe; negative if it is not to be had. */
    @DontInline
    private static long await(FreeThread me, long address, Awaiting awaiting) {
        boolean waits = false;
        try {
            for (;;) {
                long word = U.getLongVolatile(null, address);
                boolean isFree = word >= 0 && !(awaiting.yields() && FreeThread.of(word) == me.number);
                if (isFree && U.compareAndSetLong(null, address, word, me.word() | LOCKED)) {
                    return word;
                }
                if (!waits && awaiting.isLong()) {
                    waits = true;
                    U.getAndAddInt(null, address + WAITERS, 1);
                }
                if (!awaiting.lasts(word)) {
                    return -1;
                }
            }
        } finally {
            if (waits) {
                U.getAndAddInt(null, address + WAITERS, -1);
            }
        }
    }

    /** Leaves the stripe that it has, as if it had not been there. */
    static void withdraw(FreeThread me) {
        long address = me.held;
        if (me.leaves == 0) {
            for (int reader = 0; reader < READING; reader++) {
                U.putLong(null, address + READERS + 8 * reader, me.found[reader + 1]);
            }
            // 0 would be nothing to leave; the sign is taken away.
            me.leaves = me.found[0] | LOCKED;
        }
        leave(me);
    }

    /** Leaves the stripe that it has. */
    static void leave(FreeThread me) {
        long word = me.leaves == 0 ? me.word() : me.leaves & ~LOCKED;
        U.putLongRelease(null, me.held, word);
        me.held = 0;
    }
}
