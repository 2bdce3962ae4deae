package reprise.runtime;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * One ring of the spool, written with plain stores into the shared mapping.
 *
 * The layout is documented in core/recording/src/spool/layout.rs and record.rs.
 * Only what these events need is here: the block policy, and events that fit
 * into one record.
 */
class Ring {
    static final Unsafe U = Unsafe.getUnsafe();

    /** More than the longest event needs: 255 arguments of 20 bytes. */
    private static final int ROOM = 6144;
    private static final int HEAD = 2;
    private static final int SLICE = 2;
    private static final int SEGMENT = 3;
    private static final int PAD = 6;
    /** In place of a ring. */
    private static final int NONE = -1;
    private static final int LATER = -2;

    private static long base;
    private static long ringSize;
    private static int rings;
    private static long controlsAt;
    private static long regionsAt;
    private static int deadAfterMs;
    private static int process;

    private final long control;
    /** Read by threads that have no spool: never mind what is there. */
    private static final long NO_CLOCK = U.allocateMemory(8);
    /** Where the stamps are counted. */
    private final long clock = base == 0 ? NO_CLOCK : base + 192;
    private final long data;
    /** Of a position, what is within the ring. */
    private final long mask;
    private long pos;
    private long limit;
    private long discarded;
    private boolean ended;
    /** The last stamp that this thread took. */
    private long stamp = -1;
    /** Where the record of the event that was begun stands. */
    long start;
    /** Where the next byte of that event goes; 0 when there is none. */
    long at;

    /** Where the spool is mapped, and whose process this is. */
    static void map(long address, int pid) {
        rings = U.getInt(address + 12);
        ringSize = U.getLong(address + 16);
        controlsAt = U.getLong(address + 24);
        regionsAt = U.getLong(address + 32);
        deadAfterMs = U.getInt(address + 40);
        process = pid;
        base = address;
    }

    /** Claims a ring for a thread; without one, events are not kept. */
    Ring(long thread, String name) {
        int ring = base == 0 ? -1 : claim();
        if (ring < 0) {
            control = 0;
            data = 0;
            mask = 0;
            ended = true;
            if (base != 0) {
                Native.skipped(name);
            }
            return;
        }
        control = base + controlsAt + 256L * ring;
        data = base + regionsAt + (4096 + ringSize) * ring + 4096;
        mask = ringSize - 1;
        U.putInt(control + 4, 0);
        U.putInt(control + 8, process);
        U.putInt(control + 12, 0);
        U.putLong(control + 16, thread);
        U.putInt(control + 24, 0);
        int length = Math.min(name.length(), 64);
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            U.putByte(control + 32 + i, c < 128 ? (byte) c : (byte) '?');
        }
        U.putInt(control + 28, length);
        pos = U.getLongVolatile(null, control + 128);
        // Something has scribbled on it.
        ended = pos < 0 || pos >= 1L << 62;
        number(SEGMENT, U.getLongVolatile(null, base + 256));
    }

    private static int claim() {
        int ring = take();
        if (ring == LATER) {
            ring = waitForRing();
            paused();
        }
        return ring;
    }

    /** A ring; LATER when the drainer may soon have one ready, NONE when it will not. */
    private static int take() {
        if (U.getIntVolatile(null, base + 128) != 0) {
            return NONE;
        }
        // When every ring has its thread, waiting would only hold this one up.
        int none = NONE;
        for (int ring = 0; ring < rings; ring++) {
            long at = base + controlsAt + 256L * ring;
            int state = U.getIntVolatile(null, at);
            if (state == 1 && U.compareAndSetInt(null, at, 1, 2)) {
                return ring;
            }
            none = state == 2 ? none : LATER;
        }
        return none;
    }

    private static int waitForRing() {
        long beat = U.getLongVolatile(null, base + 64);
        long looked = System.nanoTime();
        long waited = 0;
        int ring = LATER;
        while (ring == LATER && waited < deadAfterMs * 1_000_000L) {
            pause(200_000);
            long now = System.nanoTime();
            waited += counted(now - looked);
            looked = now;
            ring = take();
        }
        if (ring == LATER && beat == U.getLongVolatile(null, base + 64)) {
            // Nobody is there, and the next thread need not wait.
            U.compareAndSetInt(null, base + 128, 0, 2);
        }
        return ring;
    }

    /**
     * How much of a rest counts for the drainer's silence. During a long one the whole program was
     * stopped, and the drainer perhaps with it.
     */
    private static long counted(long rest) {
        return Math.min(rest, Math.max(deadAfterMs * 250_000L, 1_000_000L));
    }

    /** The thread is gone: the ring can be used again once it is drained. */
    final void close() {
        if (control != 0) {
            U.putIntVolatile(null, control, 3);
        }
        ended = true;
        limit = 0;
    }

    /** Begins an event; its first byte is given. */
    final void begin(int first) {
        if (pos + ROOM > limit && !reserve(ROOM)) {
            at = 0;
            discard();
            return;
        }
        start = data + (pos & mask);
        U.putByte(start + HEAD, (byte) first);
        at = start + HEAD + 1;
    }

    /** Begins an event with a number of the tables behind its first byte. */
    final void begin(int first, int id) {
        if (!begins(first, id)) {
            begin(first);
            if (at != 0) {
                varint(id);
            }
        }
    }

    /** The same in the quick way; false when it has to be done in the ordinary one. */
    @ForceInline
    final boolean begins(int first, int id) {
        long from = pos;
        if (from + ROOM > limit || id >>> 14 != 0) {
            return false;
        }
        long to = start = data + (from & mask);
        // One store for both; what it writes too much is written over.
        if (id < 128) {
            U.putShortUnaligned(null, to + HEAD, (short) (first & 0xff | id << 8));
            at = to + HEAD + 2;
        } else {
            int bytes = first & 0xff | (id & 0x7f | 0x80) << 8 | id >>> 7 << 16;
            U.putIntUnaligned(null, to + HEAD, bytes);
            at = to + HEAD + 3;
        }
        return true;
    }

    /** The same for an event without such a number. */
    @ForceInline
    final boolean begins(int first) {
        long from = pos;
        if (from + ROOM > limit) {
            return false;
        }
        long to = start = data + (from & mask);
        U.putByte(to + HEAD, (byte) first);
        at = to + HEAD + 1;
        return true;
    }

    /**
     * A whole event with one short number, head and all in one store; false
     * when it has to be written in the ordinary way.
     */
    @ForceInline
    final boolean whole(int first, long number) {
        if (pos + ROOM > limit || number >>> 14 != 0) {
            return false;
        }
        long word;
        int length;
        if (number < 128) {
            length = HEAD + 2;
            word = 2 | (first & 0xffL) << 16 | number << 24;
        } else {
            length = HEAD + 3;
            word = 3 | (first & 0xffL) << 16 | (number & 0x7f | 0x80) << 24 | number >>> 7 << 32;
        }
        U.putLongUnaligned(null, data + (pos & mask), word);
        pos += length;
        U.putLongRelease(null, control + 128, pos);
        return true;
    }

    /** Makes room for an event and its stamp, so that writing them waits for nobody. */
    final void makeRoom() {
        if (pos + ROOM + 64 > limit) {
            reserve(ROOM + 64);
        }
    }

    /** Whether events are no longer kept. */
    final boolean ended() {
        return ended;
    }

    /** The bytes of the event so far. */
    final long length() {
        return at - start;
    }

    /** Makes the event that was begun exist. */
    @ForceInline
    final void publish() {
        long length = at - start;
        at = 0;
        U.putShortUnaligned(null, start, (short) (length - HEAD));
        pos += length;
        U.putLongRelease(null, control + 128, pos);
    }

    /**
     * The events from here on come after everything that others have stamped.
     * Only what comes in needs this: what goes out follows something that came
     * in, and nobody can have seen it before.
     */
    final void order() {
        if (!isLatest() && !ended) {
            stampAnew();
        }
    }

    /**
     * Whether nobody has taken a stamp since this thread did. A plain load does: whatever lets this
     * thread know of what another has done keeps it from being moved before that.
     */
    @ForceInline
    final boolean isLatest() {
        return U.getLong(clock) == stamp;
    }

    /** The events from here on come after everything that others have done. */
    final void stampAnew() {
        if (!ended) {
            stamp = U.getAndAddLong(null, clock, 1) + 1;
            number(SLICE, stamp);
        }
    }

    /**
     * The same for the event that was begun, which turns out to speak of what
     * another thread has done.
     */
    final void orderBegun() {
        if (ended || at == 0 || isLatest()) {
            return;
        }
        // The whole event has to fit behind the stamp; if it does not, rarely, it
        // stays where it is.
        long length = at - start;
        if (pos + HEAD + 8 + ROOM > limit) {
            return;
        }
        stamp = U.getAndAddLong(null, clock, 1) + 1;
        U.copyMemory(start, start + HEAD + 8, length);
        U.putShortUnaligned(null, start, (short) (SLICE << 13 | 8));
        U.putLongUnaligned(null, start + HEAD, stamp);
        start += HEAD + 8;
        at += HEAD + 8;
        pos += HEAD + 8;
        U.putLongRelease(null, control + 128, pos);
    }

    @ForceInline
    final void varint(long number) {
        long p = at;
        if (number >>> 7 == 0) {
            U.putByte(p, (byte) number);
            at = p + 1;
            return;
        }
        if (number >>> 14 == 0) {
            U.putShortUnaligned(null, p, (short) (number & 0x7f | 0x80 | number >>> 7 << 8));
            at = p + 2;
            return;
        }
        at = longer(p, number);
    }

    /** The same for a number that is likely to be long. */
    @ForceInline
    final void longVarint(long number) {
        if (number >>> 28 != 0) {
            varint(number);
            return;
        }
        long p = at;
        // Four bytes at once, and as many of them count as are needed.
        int bits = (int) number;
        int spread = bits & 0x7f | bits << 1 & 0x7f00 | bits << 2 & 0x7f0000 | bits << 3 & 0x7f000000;
        int more = bits >>> 21 != 0 ? 3 : bits >>> 14 != 0 ? 2 : bits >>> 7 != 0 ? 1 : 0;
        U.putIntUnaligned(null, p, spread | 0x808080 & (1 << 8 * more) - 1);
        at = p + 1 + more;
    }

    @DontInline
    private static long longer(long p, long number) {
        while ((number & ~0x7fL) != 0) {
            U.putByte(p++, (byte) (number | 0x80));
            number >>>= 7;
        }
        U.putByte(p++, (byte) number);
        return p;
    }

    private void number(int tag, long value) {
        if (reserve(HEAD + 8)) {
            long p = data + (pos & mask);
            U.putShortUnaligned(null, p, (short) (tag << 13 | 8));
            U.putLongUnaligned(null, p + HEAD, value);
            pos += HEAD + 8;
            U.putLongRelease(null, control + 128, pos);
        }
    }

    private void discard() {
        if (control != 0) {
            U.putLong(control + 136, ++discarded);
        }
    }

    /** Makes room for a record in one piece. */
    private boolean reserve(int need) {
        while (!ended) {
            long boundary = (pos | (ringSize - 1)) + 1;
            boolean whole = pos + need <= boundary;
            long upto = whole ? pos + need : boundary;
            if (!waitForRoom(upto)) {
                return false;
            }
            if (whole) {
                limit = Math.min(tail() + ringSize, boundary);
                return true;
            }
            if (boundary - pos >= HEAD) {
                U.putShortUnaligned(null, data + (pos & mask), (short) (PAD << 13));
            }
            pos = boundary;
            U.putLongRelease(null, control + 128, pos);
        }
        return false;
    }

    private long tail() {
        return U.getLongVolatile(null, control + 192);
    }

    /** By a difference: a tail that was scribbled on must not promise more than the ring has. */
    private boolean fits(long upto, long tail) {
        return Long.compareUnsigned(upto - tail, ringSize) <= 0;
    }

    private boolean waitForRoom(long upto) {
        if (fits(upto, tail())) {
            return true;
        }
        boolean room = waitLong(upto);
        paused();
        return room;
    }

    private boolean waitLong(long upto) {
        long tail = tail();
        long beat = U.getLongVolatile(null, base + 64);
        long looked = System.nanoTime();
        long silent = 0;
        long stuck = 0;
        for (;;) {
            long seenTail = tail();
            if (fits(upto, seenTail)) {
                return true;
            }
            insist();
            // A drainer that lives and does not see this ring will not come.
            boolean forgotten = stuck >= deadAfterMs * 10_000_000L;
            if (forgotten || U.getIntVolatile(null, base + 128) != 0) {
                ended = true;
                limit = 0;
                return false;
            }
            pause(200_000);
            long now = System.nanoTime();
            long rested = counted(now - looked);
            looked = now;
            silent += rested;
            stuck += rested;
            if (seenTail != tail) {
                tail = seenTail;
                stuck = 0;
            }
            long seen = U.getLongVolatile(null, base + 64);
            if (seen != beat) {
                beat = seen;
                silent = 0;
            } else if (silent >= deadAfterMs * 1_000_000L) {
                // Nobody drains. Whoever loses this race finds it ended.
                U.compareAndSetInt(null, base + 128, 0, 2);
            }
        }
    }

    /** Stores again what the drainer goes by: something else may have scribbled on it. */
    private void insist() {
        U.putInt(control + 4, 0);
        U.putLongRelease(null, control + 128, pos);
        if (U.getIntVolatile(null, control) != 2) {
            U.putIntVolatile(null, control, 2);
        }
    }

    /**
     * Unlike Thread.sleep, which an interrupt of the subject's would end. After the last of them
     * comes {@link #paused}.
     */
    private static void pause(long nanos) {
        U.park(false, nanos);
    }

    /**
     * The pauses may have used up an unpark that the subject counts on, so one is left behind:
     * parking may end for no reason, but must not go on for none.
     */
    private static void paused() {
        U.unpark(Thread.currentThread());
    }
}
