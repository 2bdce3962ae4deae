import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The spool as a program in Java sees it, made from its documentation alone
 * (core/recording, modules spool::layout and spool::record).
 *
 * <p>A buffer holds at most 2 GiB and a spool may be longer, so the header with
 * the controls and each ring's data are mapped apart.
 */
final class Spool {
    // Offsets in the spool header.
    private static final int VERSION = 8;
    private static final int RINGS = 12;
    private static final int RING_SIZE = 16;
    private static final int CONTROLS_AT = 24;
    private static final int REGIONS_AT = 32;
    private static final int DEAD_AFTER_MS = 40;
    private static final int HEARTBEAT = 64;
    private static final int STATE = 128;
    private static final int TURNED_AWAY = 132;
    private static final int WANTED = 136;
    private static final int STAMP = 192;
    private static final int SEGMENT = 256;
    private static final int KINDS = 512;
    private static final int KIND_LEN = 32;
    private static final int KIND_NAME_LEN = 28;
    private static final int MAX_KINDS = 64;
    private static final int HEADER_LEN = 4096;

    // Offsets in a ring control; those of the hot path are in Ring.
    private static final int CONTROL_LEN = 256;
    private static final int RING_STATE = 0;
    private static final int POLICY = 4;
    private static final int PROCESS = 8;
    private static final int KIND = 12;
    private static final int THREAD = 16;
    private static final int FLAGS = 24;
    private static final int NAME_LEN = 28;
    private static final int NAME = 32;
    private static final int MAX_NAME = 64;

    private static final int REGION_DATA = 4096;

    private static final int RECORDING = 0;
    private static final int DRAINER_SILENT = 2;
    private static final int READY = 1;
    private static final int TAKEN = 2;
    private static final int CLOSED = 3;

    static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final Path path;
    /** The header and all controls. Shared by all threads, so only used with absolute offsets. */
    final ByteBuffer controls;
    private final int rings;
    final int ringSize;
    private final int controlsAt;
    private final long regionsAt;
    private final int deadAfterMs;

    /** Maps the spool at a path. */
    Spool(Path path) throws IOException {
        this.path = path;
        ByteBuffer header = map(path, 0, HEADER_LEN);
        byte[] magic = new byte[8];
        header.get(magic);
        if (!Arrays.equals(magic, "RPRSPOOL".getBytes(StandardCharsets.US_ASCII))
                || header.getInt(VERSION) != 1) {
            throw new IOException(path + " is not a spool of version 1");
        }
        rings = header.getInt(RINGS);
        ringSize = Math.toIntExact(header.getLong(RING_SIZE));
        controlsAt = Math.toIntExact(header.getLong(CONTROLS_AT));
        regionsAt = header.getLong(REGIONS_AT);
        deadAfterMs = header.getInt(DEAD_AFTER_MS);
        controls = map(path, 0, regionsAt);
    }

    /**
     * Claims a ring for the calling thread; null when there is none to be had, and the thread is
     * not recorded.
     */
    Ring claim(String kind, long thread, String name) {
        int kindIndex = kindIndex(kind);
        if (kindIndex < 0) {
            return null;
        }
        Rests rests = new Rests();
        long waited = 0;
        long heartbeat = heartbeat();
        boolean waits = false;
        while (isRecording()) {
            for (int ring = 0; ring < rings; ring++) {
                int control = controlsAt + CONTROL_LEN * ring;
                if (INT.compareAndSet(controls, control + RING_STATE, READY, TAKEN)) {
                    return introduce(ring, control, kindIndex, thread, name);
                }
            }
            if (!waits) {
                INT.getAndAdd(controls, WANTED, 1);
                waits = true;
            }
            waited += rests.since();
            if (waited >= deadAfterMs * 1_000_000L) {
                INT.getAndAdd(controls, TURNED_AWAY, 1);
                if (heartbeat() == heartbeat) {
                    endSilent();
                }
                return null;
            }
            rest();
        }
        return null;
    }

    private Ring introduce(int ring, int control, int kind, long thread, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_NAME);
        while (length < bytes.length && length > 0 && (bytes[length] & 0xc0) == 0x80) {
            length--; // A character is not cut apart.
        }
        INT.set(controls, control + POLICY, 0);
        INT.set(controls, control + PROCESS, (int) ProcessHandle.current().pid());
        INT.set(controls, control + KIND, kind);
        LONG.set(controls, control + THREAD, thread);
        INT.set(controls, control + FLAGS, 0);
        INT.set(controls, control + NAME_LEN, length);
        controls.duplicate().position(control + NAME).put(bytes, 0, length);
        long region = regionsAt + (long) ring * (REGION_DATA + ringSize);
        try {
            ByteBuffer data = map(path, region + REGION_DATA, ringSize);
            return new Ring(this, ring, control, data);
        } catch (IOException | OutOfMemoryError error) {
            // Address space is the subject's before it is ours.
            release(control);
            return null;
        }
    }

    /**
     * Stores again what the drainer goes by, in case something else in the program has overwritten
     * it.
     */
    void insist(int control) {
        INT.setOpaque(controls, control + POLICY, 0);
        if ((int) INT.getOpaque(controls, control + RING_STATE) != TAKEN) {
            INT.setRelease(controls, control + RING_STATE, TAKEN);
        }
    }

    private long heartbeat() {
        return (long) LONG.getOpaque(controls, HEARTBEAT);
    }

    /** Changes the state from recording to ended: nobody drains any more. */
    private void endSilent() {
        INT.compareAndSet(controls, STATE, RECORDING, DRAINER_SILENT);
    }

    /** Hands a ring back. */
    void release(int control) {
        INT.setRelease(controls, control + RING_STATE, CLOSED);
    }

    long nextStamp() {
        return (long) LONG.getAndAdd(controls, STAMP, 1L) + 1;
    }

    /** The segment that events belong to from now on. */
    long segment() {
        return (long) LONG.getAcquire(controls, SEGMENT);
    }

    boolean isRecording() {
        return (int) INT.getAcquire(controls, STATE) == RECORDING;
    }

    /** The file of an event that is too long for its ring. */
    String outsideFile(int ring, long number) {
        return path + ".d/" + ring + "-" + number;
    }

    private int kindIndex(String kind) {
        byte[] name = new byte[KIND_NAME_LEN];
        for (int index = 0; index < MAX_KINDS; index++) {
            controls.duplicate().position(KINDS + KIND_LEN * index).get(name);
            if (new String(name, StandardCharsets.UTF_8).equals(padded(kind))) {
                return index;
            }
        }
        return -1;
    }

    private static String padded(String kind) {
        return kind + "\0".repeat(Math.max(0, KIND_NAME_LEN - kind.length()));
    }

    /** The time that a thread has rested. */
    private final class Rests {
        private long looked = System.nanoTime();

        /**
         * The nanoseconds since it was last asked. Of a long rest only a part counts: the whole
         * program was stopped, and the drainer perhaps with it.
         */
        long since() {
            long now = System.nanoTime();
            long rest = now - looked;
            looked = now;
            return Math.min(rest, Math.max(deadAfterMs * 250_000L, 1_000_000L));
        }
    }

    /** The drainer's signs of life, as a thread that waits for room watches them. */
    final class Watch {
        private final Rests rests = new Rests();
        private long beat = heartbeat();
        private long silent;
        private long stuck;
        private long tail;

        Watch(long tail) {
            this.tail = tail;
        }

        /**
         * Whether there is nothing to wait for: the recording has ended, or ends here because the
         * drainer was silent for too long, or it lives and does not see this ring.
         */
        boolean isOver(long seenTail) {
            long rested = rests.since();
            silent += rested;
            stuck += rested;
            long seenBeat = heartbeat();
            if (seenBeat != beat) {
                beat = seenBeat;
                silent = 0;
            } else if (silent >= deadAfterMs * 1_000_000L) {
                endSilent();
            }
            if (seenTail != tail) {
                tail = seenTail;
                stuck = 0;
            }
            return !isRecording() || stuck >= deadAfterMs * 10_000_000L;
        }
    }

    /**
     * Lets the calling thread rest. Not by parking: that would take an unpark which the subject
     * waits for. An interrupt is the subject's, too, and is handed on.
     */
    static void rest() {
        try {
            Thread.sleep(0, 50_000);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            Thread.onSpinWait();
        }
    }

    /**
     * Maps a part of the file. The channel of an interrupted thread closes itself, so the interrupt
     * is put aside meanwhile.
     */
    private static ByteBuffer map(Path path, long at, long length) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            for (;;) {
                try (FileChannel file = FileChannel.open(
                        path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    // Mapping beyond the end would make the file longer.
                    if (file.size() < at + length) {
                        throw new IOException(path + " is too short for a spool");
                    }
                    return file.map(FileChannel.MapMode.READ_WRITE, at, length)
                            .order(ByteOrder.LITTLE_ENDIAN);
                } catch (ClosedByInterruptException interrupt) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
