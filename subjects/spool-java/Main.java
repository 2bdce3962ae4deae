import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@code spool-c} is, in Java: threads that append events whose content can be checked, to see
 * that a writer made from the spool's documentation is understood by its drainer. Its writer is the
 * model of the one in the recorder's runtime, hence the benchmark.
 *
 * <pre>
 *   java Main THREADS EVENTS [PROGRESS]     as spool-c
 *   java Main bench EVENTS                  ns per six-byte event, by batches of 100,000
 * </pre>
 */
final class Main {
    private static final int MAX_THREADS = 64;
    private static final int BATCH = 100_000;

    private static final Object TURN_LOCK = new Object();
    private static long turn;

    private Main() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Spool spool = openSpool();
        if (arguments[0].equals("bench")) {
            bench(spool, Long.parseLong(arguments[1]));
            return;
        }
        int threads = Integer.parseInt(arguments[0]);
        long events = Long.parseLong(arguments[1]);
        ByteBuffer progress = progress(arguments.length > 2 ? arguments[2] : null);
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            running.add(new Thread(() -> work(spool, thread, events, progress)));
        }
        running.forEach(Thread::start);
        for (Thread thread : running) {
            thread.join();
        }
    }

    private static Spool openSpool() {
        try {
            return new Spool(Path.of(System.getenv("REPRISE_SPOOL")));
        } catch (IOException | RuntimeException error) {
            System.err.println("there is no spool; nothing is recorded: " + error);
            return null;
        }
    }

    /** Two longs per thread: how many events were begun, and how many were appended. */
    private static ByteBuffer progress(String path) throws IOException {
        int length = 16 * MAX_THREADS;
        if (path == null) {
            return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        }
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            return file.getChannel()
                    .map(FileChannel.MapMode.READ_WRITE, 0, length)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void work(Spool spool, int thread, long events, ByteBuffer progress) {
        Ring ring = spool == null ? null : spool.claim("test", thread, "writer " + thread);
        byte[] event = new byte[80_000];
        for (long number = 0; number < events; number++) {
            Spool.LONG.setRelease(progress, 16 * thread, number + 1);
            if (append(ring, thread, number, event)) {
                Spool.LONG.setRelease(progress, 16 * thread + 8, number + 1);
            }
        }
        if (ring != null) {
            ring.close();
        }
    }

    private static boolean append(Ring ring, int thread, long number, byte[] event) {
        if (number % 16 == 0) {
            return takeTurn(ring, event);
        }
        int length = fill(event, thread, number);
        if (ring == null) {
            return false;
        }
        boolean replaced = number % 7 == 3;
        if (length <= 6 && !replaced) {
            long bits = 0;
            for (int i = 0; i < length; i++) {
                bits |= (event[i] & 0xffL) << 8 * i;
            }
            return ring.append(bits, length);
        }
        return ring.append(event, 0, length, replaced);
    }

    private static boolean takeTurn(Ring ring, byte[] event) {
        synchronized (TURN_LOCK) {
            ByteBuffer.wrap(event).order(ByteOrder.LITTLE_ENDIAN).putLong(0, turn++);
            if (ring == null) {
                return false;
            }
            ring.stamp();
            return ring.append(event, 0, 8, false);
        }
    }

    /** Well mixed bits out of any number (the end of SplitMix64). */
    private static long mix(long z) {
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /**
     * The content of an event: mostly short, some up to 20,000 bytes, and now and then one that no
     * ring of 64 KiB can hold.
     */
    private static int fill(byte[] event, long thread, long number) {
        long bits = mix((thread << 40) + number + 1);
        long size = bits >>> 32;
        long kind = Long.remainderUnsigned(bits, 100);
        int length;
        if (number % 1000 == 999) {
            length = (int) (70_000 + size % 1000);
        } else if (kind < 80) {
            length = (int) (size % 64);
        } else if (kind < 97) {
            length = (int) (size % 2000);
        } else {
            length = (int) (size % 20_001);
        }
        for (int i = 0; i < length; i++) {
            event[i] = (byte) ((bits >>> i % 8 * 8) + i / 8);
        }
        return length;
    }

    /** The batches in which the writer had to wait for the drainer show as the slow ones. */
    private static void bench(Spool spool, long events) {
        Ring ring = spool.claim("test", 0, "bench");
        double[] times = new double[(int) (events / BATCH)];
        long start = System.nanoTime();
        for (int i = 0; i < times.length; i++) {
            long before = System.nanoTime();
            appendBatch(ring, i);
            times[i] = (double) (System.nanoTime() - before) / BATCH;
        }
        double mean = (double) (System.nanoTime() - start) / events;
        ring.close();
        // The first fifth is for the compiler.
        double[] warm = Arrays.copyOfRange(times, times.length / 5, times.length);
        Arrays.sort(warm);
        System.out.printf(
                "ns per event: fastest %.2f, 10%% %.2f, median %.2f, mean with waiting %.2f%n",
                warm[0], warm[warm.length / 10], warm[warm.length / 2], mean);
    }

    private static void appendBatch(Ring ring, long seed) {
        for (long i = 0; i < BATCH; i++) {
            ring.append(seed * BATCH + i, 6);
        }
    }
}
