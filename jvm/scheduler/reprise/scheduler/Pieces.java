package reprise.scheduler;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;

/**
 * What methods of the JDK call around reading bytes that come from outside. In how many pieces
 * they come is chance; a program that is told of 3 bytes does something else than with 5. So
 * how many there were is written down, and in a replay as many are read, however they come.
 */
public final class Pieces {
    /** How long bytes may take that were there at once; in milliseconds. */
    private static final int PATIENCE = 5000;

    private Pieces() {}

    /**
     * Before bytes are read: whether that has been done here. Then as many are read at once as
     * in the run that is followed, however many there are; {@link #count} says how many.
     */
    public static boolean hasRead(Object stream, byte[] bytes, int from, int length) throws IOException {
        boolean right = bytes != null && from >= 0 && length > 0 && length <= bytes.length - from;
        return right && hasRead(stream, ByteBuffer.wrap(bytes, from, length), bytes);
    }

    public static boolean hasRead(Object stream, byte[] bytes) throws IOException {
        return bytes != null && hasRead(stream, bytes, 0, bytes.length);
    }

    /** The same, from a channel into a buffer. */
    public static boolean hasRead(Object channel, Object target) throws IOException {
        return target instanceof ByteBuffer && ((ByteBuffer) target).hasRemaining()
                && hasRead(channel, (ByteBuffer) target, null);
    }

    private static boolean hasRead(Object object, ByteBuffer buffer, byte[] bytes) throws IOException {
        if (Free.on) {
            FreeThread free = FreeThread.current();
            if (free != null) {
                free.reading = Outside.isOutside(object);
                if (waits(object, bytes)) {
                    Outside.reads(object);
                }
            }
            return false;
        }
        Turn me = Engine.counted();
        if (me == null) {
            return false;
        }
        if (!me.reading && Outside.isOutside(object)) {
            int wanted = Values.gets(me);
            boolean blocks = !(object instanceof SelectableChannel) || ((SelectableChannel) object).isBlocking();
            if (wanted >= (blocks ? 1 : 0) && wanted <= buffer.remaining()) {
                me.reading = true;
                try {
                    me.count = pieces(me, object, buffer, bytes, wanted, blocks);
                } finally {
                    me.reading = false;
                    me.again = false;
                }
                return true;
            }
            me.notes = true;
        }
        if (waits(object, bytes)) {
            Outside.reads(object);
        }
        return false;
    }

    /**
     * Whether nobody below waits: streams of sockets have somebody, also those of Java 11, which
     * are streams of files.
     */
    private static boolean waits(Object object, byte[] bytes) {
        return bytes == null || object instanceof FileInputStream
                && !object.getClass().getName().equals("java.net.SocketInputStream");
    }

    /** Reads until there are so many, or there are no more. */
    private static int pieces(
            Turn me, Object object, ByteBuffer buffer, byte[] bytes, int wanted, boolean blocks)
            throws IOException {
        int from = buffer.position();
        int limit = buffer.limit();
        buffer.limit(from + wanted);
        try {
            while (buffer.hasRemaining()) {
                int more;
                if (bytes == null) {
                    more = ((ReadableByteChannel) object).read(buffer);
                } else {
                    more = ((InputStream) object).read(bytes, buffer.position(), buffer.remaining());
                    buffer.position(buffer.position() + Math.max(0, more));
                }
                me.again = true;
                boolean none = more == 0 && (blocks || !Outside.hasMore(object, PATIENCE));
                if (more < 0 || none) {
                    int read = buffer.position() - from;
                    return read == 0 ? more : read;
                }
            }
            return wanted;
        } finally {
            buffer.limit(limit);
        }
    }

    public static int count() {
        Turn me = Engine.of(Thread.currentThread());
        return me == null ? 0 : me.count;
    }

    /** After bytes were read. */
    public static void got(int bytes) {
        if (isNoted(false)) {
            Values.got(bytes);
        }
    }

    /** When that has thrown something. */
    public static void threw() {
        if (isNoted(true)) {
            Values.threw();
        }
    }

    private static boolean isNoted(boolean threw) {
        boolean noted = false;
        if (Free.on) {
            FreeThread free = FreeThread.current();
            noted = free != null && free.reading;
            if (noted) {
                free.reading = false;
                Wires.gets(threw);
            }
            return noted;
        }
        Turn me = Engine.counted();
        if (me != null && !me.reading) {
            noted = me.notes;
            me.notes = false;
        }
        return noted;
    }
}
