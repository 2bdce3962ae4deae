package reprise.scheduler;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * What the program reads that is another value in every run. Where threads run freely it is
 * written down, and where they follow that run, each thread gets what it got then, in the
 * same order.
 */
public final class Values {
    /** By thread; null if there are none. */
    private static Map<String, long[]> given;

    private Values() {}

    /** Reads a file: a line with a thread, then one with each of its values. */
    static void read(String file) throws IOException {
        Map<String, long[]> read = new HashMap<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
            String thread = "";
            long[] values = new long[8];
            int count = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("thread ")) {
                    read.put(thread, Arrays.copyOf(values, count));
                    thread = line.substring("thread ".length());
                    count = 0;
                } else {
                    if (count == values.length) {
                        values = Arrays.copyOf(values, 2 * count);
                    }
                    values[count++] = Long.parseLong(line.trim());
                }
            }
            read.put(thread, Arrays.copyOf(values, count));
        }
        given = read;
    }

    private static long see(long value) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.reads(value);
            }
            return value;
        }
        Turn me = given == null ? null : Engine.mine();
        if (me == null) {
            return value;
        }
        long[] values = given.get(me.descent);
        return values == null || me.values >= values.length ? value : values[me.values++];
    }

    public static long seen(long value) {
        return see(value);
    }

    public static int seen(int value) {
        return (int) see(value);
    }

    public static boolean seen(boolean value) {
        return see(value ? 1 : 0) != 0;
    }

    public static double seen(double value) {
        return Double.longBitsToDouble(see(Double.doubleToRawLongBits(value)));
    }

    public static UUID seen(UUID value) {
        long most = see(value.getMostSignificantBits());
        long least = see(value.getLeastSignificantBits());
        return new UUID(most, least);
    }

    public static Instant seen(Instant value) {
        long second = see(value.getEpochSecond());
        long nano = see(value.getNano());
        return Instant.ofEpochSecond(second, nano);
    }

    /** Of what an object is made that would take what comes. */
    public static long seed() {
        return see(new Random().nextLong());
    }

    public static long millis() {
        return see(System.currentTimeMillis());
    }
}
