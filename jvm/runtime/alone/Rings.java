package reprise.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The rings, seen from the other end: takes the records of core/recording/src/spool/record.rs that
 * {@link Ring} writes.
 */
final class Rings {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final int TAKEN = 2;
    private static final int CLOSED = 3;
    private static final int READY = 1;
    private static final int HEAD = 2;
    private static final int EVENT = 0;
    private static final int SLICE = 2;
    private static final int PAD = 6;

    private final Chunks file;
    private final long spool;
    private final long size;
    private final Stream[] streams;
    private final byte[] bytes;
    /** The tables are the first. */
    private int last = 1;
    /** How many events there were. */
    long events;

    Rings(Chunks file, long spool, int rings, long size) {
        this.file = file;
        this.spool = spool;
        this.size = size;
        streams = new Stream[rings];
        bytes = new byte[(int) size];
    }

    void drain() throws IOException {
        // A sign of life.
        U.getAndAddLong(null, spool + 64, 1);
        for (int ring = 0; ring < streams.length; ring++) {
            long control = spool + U.getLong(spool + 24) + 256L * ring;
            int state = U.getIntVolatile(null, control);
            if (state != TAKEN && state != CLOSED) {
                continue;
            }
            long data = spool + U.getLong(spool + 32) + (4096 + size) * ring + 4096;
            long tail = U.getLongVolatile(null, control + 192);
            long head = U.getLongVolatile(null, control + 128);
            if (head > tail) {
                take(ring, control, data, tail, head);
                U.putLongRelease(null, control + 192, head);
            }
            if (state == CLOSED) {
                streams[ring] = null;
                U.putIntVolatile(null, control, READY);
            }
        }
    }

    private void take(int ring, long control, long data, long tail, long head) throws IOException {
        for (long pos = tail; pos < head; ) {
            long within = pos & size - 1;
            if (size - within < HEAD) {
                pos += size - within;
                continue;
            }
            int word = U.getShort(data + within) & 0xffff;
            int tag = word >> 13;
            int length = word & 0x1fff;
            if (tag == PAD) {
                pos += size - within;
                continue;
            }
            if (tag == EVENT) {
                Unsafe.copy(data + within + HEAD, bytes, length);
                stream(ring, control).event(bytes, 0, length);
                events++;
            } else if (tag == SLICE) {
                stream(ring, control).stamp(U.getLong(data + within + HEAD));
            }
            pos += HEAD + length;
        }
        if (streams[ring] != null) {
            streams[ring].flush();
        }
    }

    /** What the control says of the thread is there once there is a record. */
    private Stream stream(int ring, long control) throws IOException {
        if (streams[ring] == null) {
            byte[] name = new byte[U.getInt(control + 28)];
            Unsafe.copy(control + 32, name, name.length);
            long thread = U.getLong(control + 16);
            String text = new String(name, StandardCharsets.UTF_8);
            streams[ring] = new Stream(file, ++last, thread, "jvm.calls", Tables.callsVersion, text, false);
        }
        return streams[ring];
    }
}
