package reprise.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * The events of one stream on their way into the file. The payload of their chunks is drawn in
 * core/recording/src/events.rs.
 */
final class Stream {
    /** A reader takes a longer chunk for damage, unless it has a single event. */
    private static final int LONGEST = 256 << 10;

    private final Chunks file;
    private final int id;
    private final ByteArrayOutputStream slices = new ByteArrayOutputStream();
    private final ByteArrayOutputStream rows = new ByteArrayOutputStream();
    private long first;
    private int count;
    private int sliceCount;
    private int inSlice;
    private long firstStamp;
    private long stamp;
    private long nextStamp;

    Stream(Chunks file, int id, long thread, String kind, int version, String name, boolean table)
            throws IOException {
        this.file = file;
        this.id = id;
        Json json = new Json().put("process", ProcessHandle.current().pid()).put("thread", thread)
            .put("kind", kind).put("version", version).put("name", name);
        file.text(Chunks.STREAM, id, (table ? json.put("table", true) : json).toString());
    }

    void stamp(long stamp) {
        nextStamp = Math.max(nextStamp, stamp);
    }

    void event(byte[] bytes, int from, int length) throws IOException {
        if (count > 0 && rows.size() + slices.size() + length >= LONGEST) {
            flush();
        }
        if (count == 0) {
            firstStamp = nextStamp;
        } else if (stamp != nextStamp) {
            Chunks.varint(slices, inSlice);
            Chunks.varint(slices, nextStamp - stamp);
            sliceCount++;
            inSlice = 0;
        }
        stamp = nextStamp;
        Chunks.varint(rows, (long) length << 1);
        rows.write(bytes, from, length);
        count++;
        inSlice++;
    }

    /** Puts what there is into the file. */
    void flush() throws IOException {
        if (count == 0) {
            return;
        }
        ByteArrayOutputStream payload = new ByteArrayOutputStream(rows.size() + slices.size() + 8);
        Chunks.varint(payload, sliceCount);
        slices.writeTo(payload);
        rows.writeTo(payload);
        file.write(Chunks.EVENTS, id, first, firstStamp, count, payload.toByteArray());
        first += count;
        count = 0;
        sliceCount = 0;
        inSlice = 0;
        slices.reset();
        rows.reset();
    }
}
