package reprise.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;

/**
 * The file: a header, then chunks. Their bytes are drawn in core/recording/src/header.rs and
 * chunk.rs. Nothing is compressed, and the index is left to whoever reads it.
 */
final class Chunks {
    static final int MANIFEST = 1;
    static final int STREAM = 2;
    static final int EVENTS = 3;
    static final int CLOSING = 6;

    private static final int VERSION = 1;
    private static final int HEADER = 32;
    private static final int CHUNK = 52;
    private static final byte[] MAGIC = {(byte) 0x89, 'R', 'P', 'R', '\r', '\n', 0x1a, '\n'};
    private static final byte[] SYNC = {(byte) 0xa7, 'C', 'K', 0x7a};

    /** Not a channel: an interrupt of the subject's would close that. */
    private final RandomAccessFile file;
    private final long id = ThreadLocalRandom.current().nextLong() | 1;

    Chunks(String name) throws IOException {
        Path path = Paths.get(name);
        create(path);
        file = new RandomAccessFile(path.toFile(), "rw");
        ByteBuffer header = buffer(HEADER).put(MAGIC).putInt(VERSION).putInt(0).putLong(id);
        header.putInt(24, (int) crc(0, header.array(), 24));
        file.write(header.array());
    }

    /** Never over another, and only for its owner. */
    private static void create(Path path) throws IOException {
        EnumSet<StandardOpenOption> options =
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            FileAttribute<?> mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            Files.newByteChannel(path, options, mode).close();
        } catch (UnsupportedOperationException noModes) {
            Files.newByteChannel(path, options).close();
        }
    }

    void text(int kind, int stream, String json) throws IOException {
        write(kind, stream, 0, 0, 0, json.getBytes(StandardCharsets.UTF_8));
    }

    void write(int kind, int stream, long first, long stamp, int count, byte[] payload)
            throws IOException {
        ByteBuffer chunk = buffer(CHUNK + payload.length);
        chunk.put(SYNC).put((byte) kind).put((byte) 0).putShort((short) 0);
        chunk.putInt(stream).putInt(0).putLong(first).putLong(stamp).putInt(count);
        chunk.putInt(payload.length).putInt(payload.length);
        chunk.putInt((int) crc(0, payload, payload.length));
        chunk.putInt((int) crc(id, chunk.array(), 48));
        file.write(chunk.put(payload).array());
    }

    void close() throws IOException {
        file.close();
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Of bytes, behind those of a seed that is not 0. */
    private static long crc(long seed, byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        if (seed != 0) {
            crc.update(buffer(8).putLong(seed).array());
        }
        crc.update(bytes, 0, length);
        return crc.getValue();
    }

    static void varint(ByteArrayOutputStream to, long number) {
        while ((number & ~0x7fL) != 0) {
            to.write((int) number | 0x80);
            number >>>= 7;
        }
        to.write((int) number);
    }
}
