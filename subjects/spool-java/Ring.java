import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The writing end of one ring. Only the thread that claimed it may use it.
 *
 * <p>An event of up to six bytes, which is what most are, costs one compare, one store of eight
 * bytes and one release store. Everything else is in methods of its own, so that this one is small
 * enough to be inlined.
 */
final class Ring {
    // Offsets in a ring control.
    private static final int HEAD = 128;
    private static final int DISCARDED = 136;
    private static final int TAIL = 192;

    // What a record is, and its parts.
    private static final int EVENT = 0;
    private static final int REPLACED = 1;
    private static final int SLICE = 2;
    private static final int SEGMENT = 3;
    private static final int LONG = 4;
    private static final int OUTSIDE = 5;
    private static final int PAD = 6;
    private static final int LOST = 7;
    private static final int RECORD_HEAD = 2;
    private static final int MAX_BODY = (1 << 13) - 1;
    private static final int LONGEST_EVENT = 256 << 20;
    /** Positions are below this; a larger one was scribbled on. */
    private static final long MAX_POSITION = 1L << 62;

    private final Spool spool;
    private final int index;
    private final int control;
    private final ByteBuffer controls;
    /** The control's head alone: a constant offset is cheaper to check. */
    private final ByteBuffer headField;
    private final ByteBuffer data;
    private final int mask;

    /** The position behind the last record. */
    private long head;
    /**
     * No record may reach beyond this position: there the data ends, or what is not drained yet
     * begins, as far as is known. It is 0 when the recording has ended, which sends every event the
     * slow way.
     */
    private long limit;
    /** Numbers the files of long events. */
    private long outside;
    private boolean ended;

    Ring(Spool spool, int index, int control, ByteBuffer data) {
        this.spool = spool;
        this.index = index;
        this.control = control;
        this.controls = spool.controls;
        ByteBuffer field = controls.duplicate();
        field.position(control + HEAD).limit(control + HEAD + 8);
        this.headField = field.slice();
        this.data = data;
        this.mask = spool.ringSize - 1;
        this.head = (long) Spool.LONG.getAcquire(headField, 0);
        this.limit = head;
        this.ended = head < 0 || head >= MAX_POSITION;
        appendNumber(SEGMENT, spool.segment());
    }

    /**
     * Appends an event of up to six bytes: the low bytes of {@code bits}, the lowest first. False
     * when it is not recorded.
     */
    boolean append(long bits, int length) {
        long at = head;
        // Eight bytes are stored whatever the length; those behind the record are free.
        if (at + 8 > limit) {
            return appendAtEdge(bits, length);
        }
        Spool.LONG.set(data, (int) at & mask, bits << 16 | length);
        publish(at + RECORD_HEAD + length);
        return true;
    }

    /** Appends an event of any length; false when it is not recorded. */
    boolean append(byte[] event, int from, int length, boolean replaced) {
        if (length > MAX_BODY) {
            return length > (mask + 1) / 4
                    ? appendOutside(event, from, length, replaced)
                    : appendLong(event, from, length, replaced);
        }
        int at = reserve(RECORD_HEAD + length);
        if (at < 0) {
            return discard();
        }
        putHead(at, replaced ? REPLACED : EVENT, length);
        data.position(at + RECORD_HEAD);
        data.put(event, from, length);
        publish(head + RECORD_HEAD + length);
        return true;
    }

    /** Gives the events that follow the next place in the global order. */
    boolean stamp() {
        return appendNumber(SLICE, spool.nextStamp());
    }

    /** Hands the ring back; it must not be used any more. */
    void close() {
        limit = 0;
        ended = true;
        spool.release(control);
    }

    /** The one store that makes a record exist. */
    private void publish(long newHead) {
        head = newHead;
        Spool.LONG.setRelease(headField, 0, newHead);
    }

    private void putHead(int at, int tag, int length) {
        data.putShort(at, (short) (tag << 13 | length));
    }

    /** An event near the end of the data or of the free room, where it must fit exactly. */
    private boolean appendAtEdge(long bits, int length) {
        int at = reserve(RECORD_HEAD + length);
        if (at < 0) {
            return discard();
        }
        putHead(at, EVENT, length);
        for (int i = 0; i < length; i++) {
            data.put(at + RECORD_HEAD + i, (byte) (bits >>> 8 * i));
        }
        publish(head + RECORD_HEAD + length);
        return true;
    }

    private boolean appendLong(byte[] event, int from, int length, boolean replaced) {
        int at = reserve(RECORD_HEAD + 4 + length);
        if (at < 0) {
            return discard();
        }
        putHead(at, LONG, replaced ? 1 : 0);
        data.putInt(at + RECORD_HEAD, length);
        data.position(at + RECORD_HEAD + 4);
        data.put(event, from, length);
        publish(head + RECORD_HEAD + 4 + length);
        return true;
    }

    private boolean appendOutside(byte[] event, int from, int length, boolean replaced) {
        // Room first: with none to be had, the file would belong to nobody.
        int at = reserve(RECORD_HEAD + 20);
        if (at < 0) {
            return discard();
        }
        long number = outside++;
        if (length > LONGEST_EVENT || !storeOutside(number, event, from, length)) {
            appendNumber(LOST, 1);
            return false;
        }
        putHead(at, OUTSIDE, 20);
        data.putLong(at + 2, number);
        data.putLong(at + 10, length);
        data.putInt(at + 18, replaced ? 1 : 0);
        publish(head + RECORD_HEAD + 20);
        return true;
    }

    /**
     * Writes an event into a file of its own, whole or not at all; by a stream, since a channel
     * would close itself in an interrupted thread.
     */
    private boolean storeOutside(long number, byte[] event, int from, int length) {
        File file = new File(spool.outsideFile(index, number));
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(event, from, length);
            return true;
        } catch (IOException error) {
            file.delete();
            return false;
        }
    }

    private boolean appendNumber(int tag, long number) {
        int at = reserve(RECORD_HEAD + 8);
        if (at < 0) {
            return false;
        }
        putHead(at, tag, 8);
        data.putLong(at + RECORD_HEAD, number);
        publish(head + RECORD_HEAD + 8);
        return true;
    }

    /** Finds room for a record in one piece, at {@code head}; -1 when the recording has ended. */
    private int reserve(int length) {
        return head + length <= limit ? (int) head & mask : reserveAtEdge(length);
    }

    private int reserveAtEdge(int length) {
        if (ended) {
            return -1;
        }
        int at = (int) head & mask;
        int left = mask + 1 - at;
        if (left < length) {
            // The pad goes ahead: to wait for room for both could be to wait for more than the
            // drainer ever frees.
            if (waitForRoom(left) < 0) {
                return -1;
            }
            if (left >= RECORD_HEAD) {
                putHead(at, PAD, 0);
            }
            publish(head + left);
        }
        long tail = waitForRoom(length);
        if (tail < 0) {
            return -1;
        }
        limit = Math.min(tail + mask + 1, (head | mask) + 1);
        return (int) head & mask;
    }

    /** The tail, once it leaves enough room; -1 when the recording has ended. */
    private long waitForRoom(int need) {
        Spool.Watch drainer = null;
        for (;;) {
            long tail = (long) Spool.LONG.getAcquire(controls, control + TAIL);
            // By a difference, not a sum: whoever scribbles on the tail cannot make us believe that
            // there is more room than the ring has.
            if (Long.compareUnsigned(head + need - tail, mask + 1) <= 0) {
                return tail;
            }
            if (drainer == null) {
                drainer = spool.new Watch(tail);
            }
            spool.insist(control);
            publish(head);
            if (drainer.isOver(tail)) {
                ended = true;
                limit = 0;
                return -1;
            }
            Spool.rest();
        }
    }

    private boolean discard() {
        long count = (long) Spool.LONG.getOpaque(controls, control + DISCARDED);
        Spool.LONG.setOpaque(controls, control + DISCARDED, count + 1);
        return false;
    }
}
