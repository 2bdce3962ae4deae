package reprise.scheduler;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * What the program reads that is another value in every run. Where a run is recorded it is
 * written down, and where that run is followed, each thread gets what it got then, in the
 * same order.
 *
 * Each kind of them has an order of its own, so that one more or less of one kind does not
 * shift the others; {@link Hashes} has what is done with identity hashes.
 */
public final class Values {
    /** What the program asks for. */
    static final int ASKED = 0;
    /** What the JDK draws for itself when it begins. */
    static final int DRAWN = 1;
    /** Times by which the JDK sees that a wait has run out. */
    static final int TIMES = 2;
    /** How much was read at once. */
    static final int READS = 3;
    /** What generators of random numbers begin with, random bytes, and the time of clocks. */
    static final int SEEDS = 4;
    static final int BYTES = 5;
    static final int CLOCKS = 6;
    /** The same of clocks that tell it in two numbers. */
    static final int INSTANTS = 7;
    /** What a selector has found: how many, then each. */
    static final int FOUND = 8;
    /** The numbers that the JVM gives threads, of which random numbers are made as well. */
    static final int NUMBERS = 9;
    /** Which of the references that the program has asked, counted, had lost what they refer to. */
    static final int CLEARED = 10;
    /** What came out of queues of references: which look it was, counted, then the reference. */
    static final int POLLED = 11;
    /** Keys that a table found taken away: after which look into a queue, then the reference. */
    static final int EMPTIED = 12;
    /** What these are called in the file; {@code reprise_schedule::observed} has the same. */
    static final String[] WORDS = {
        "", "drawn ", "time ", "read ", "seed ", "bytes ", "clock ", "instant ", "found ",
        "number ", "cleared ", "polled ", "emptied "
    };

    /** In between the times that a thread was told: it has parked. */
    static final long PARKED = Long.MIN_VALUE;

    /** No more are found at once: the JDK asks for fewer. */
    private static final int MOST = 512;

    /** What a read is noted as that has thrown something. */
    private static final int THROWN = -2;

    /** By thread; null if there are none. */
    private static Map<String, Given> given;
    /** Whether they are written down. */
    private static boolean kept;
    /** The hashes that objects have got, with what these are told by. One thread runs at a time. */
    static final Set<Long> GIVEN = new HashSet<>();

    private Values() {}

    /** Reads a file: a line with a thread, then one with each of its values; again for each thread. */
    static void read(String file) throws IOException {
        Map<String, Given> read = new HashMap<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
            Given thread = new Given();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("thread ")) {
                    String name = line.substring("thread ".length());
                    thread = read.getOrDefault(name, new Given());
                    read.put(name, thread);
                } else {
                    thread.add(line);
                }
            }
        }
        given = read;
        Map<Integer, Integer> hashes = new HashMap<>();
        for (Given thread : read.values()) {
            thread.addHashes(hashes);
            thread.addReferences();
        }
        Hashes.are(hashes);
        Hashes.on = true;
    }

    /** Whether threads get what they got in another run. */
    static boolean areGiven() {
        return given != null;
    }

    /** Whether what threads read is written down, where one runs at a time. */
    static boolean areKept() {
        return kept;
    }

    /** Writes down what a thread has read. */
    static void note(Turn me, int kind, long value) {
        Native.value(me.descent, WORDS[kind], value);
    }

    /** From now on, what is not given is written down. */
    static void keep() {
        kept = given == null;
        Hashes.on = true;
    }

    /** Another run of the program begins, with other objects. */
    static void reset() {
        GIVEN.clear();
    }

    /** What a thread that begins is given. */
    static void begun(Turn turn) {
        Given of = given == null ? null : given.get(turn.descent);
        turn.given = of == null ? null : new Given(of);
    }

    /** Writes a value down, or gives another one instead. */
    private static long see(int kind, long value) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.reads(kind, value);
            }
            return value;
        }
        Turn me = given == null && !kept ? null : Engine.counted();
        if (me == null) {
            return value;
        }
        if (kept) {
            note(me, kind, value);
            return value;
        }
        return me.given == null ? value : me.given.next(kind, value);
    }

    private static long see(long value) {
        return see(ASKED, value);
    }

    static long drawn(long value) {
        return see(DRAWN, value);
    }

    /** The JDK asks for the time, in nanoseconds since some time. */
    public static long time(long value) {
        Turn me = given == null || Free.on ? null : Engine.counted();
        return me == null || me.given == null ? see(TIMES, value) : me.given.time(value);
    }

    /** The same, in milliseconds. */
    public static long date(long value) {
        Turn me = given == null || Free.on ? null : Engine.counted();
        return me == null || me.given == null ? see(TIMES, value) : me.given.date(value);
    }

    /** A thread that runs freely parks: what it is told of the time from now on comes after. */
    static void parks(FreeThread me) {
        me.reads(TIMES, PARKED);
    }

    /** So much was read. */
    static void got(int bytes) {
        if (Free.on || kept) {
            see(READS, bytes);
        }
    }

    /** A read has thrown something. */
    static void threw() {
        got(THROWN);
    }

    /** How much is to be read; negative if nothing is said of that. */
    static int gets(Turn me) {
        return me.given == null ? THROWN : (int) me.given.next(READS, THROWN);
    }

    /** The number of a thread that was just created by the calling one. */
    static long number(long value) {
        return see(NUMBERS, value);
    }

    /** A selector has found these. */
    static void finds(long[] keys) {
        if (Free.on || kept) {
            see(FOUND, keys.length);
            for (long key : keys) {
                see(FOUND, key);
            }
        }
    }

    /** What a selector is to find; null if nothing is said of that. */
    static long[] found(Turn me) {
        long count = me.given == null ? -1 : me.given.next(FOUND, -1);
        if (count < 0 || count > MOST) {
            return null;
        }
        long[] keys = new long[(int) count];
        for (int at = 0; at < keys.length; at++) {
            keys[at] = me.given.next(FOUND, 0);
        }
        return keys;
    }

    /** Notes a hash; false if none are noted. */
    static boolean hashes(Turn me, int type, Object object) {
        if (kept) {
            int hash = System.identityHashCode(object);
            if (me.isNew(type, hash)) {
                Native.value(me.descent, "hash " + type + " ", hash);
            }
        }
        return kept;
    }

    public static long seen(long value) {
        return see(value);
    }

    /** A clock of the JDK tells the time. The JDK also asks it for itself, now and then. */
    public static long clock(long value) {
        return isAsked() ? see(CLOCKS, value) : value;
    }

    /** The program is about to ask for the time. */
    public static void asks() {
        ask(true);
    }

    /** It has. */
    public static void asked() {
        ask(false);
    }

    private static void ask(boolean asks) {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            if (me != null) {
                me.asks = asks;
            }
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            me.asks = asks;
        }
    }

    private static boolean isAsked() {
        if (Free.on) {
            FreeThread me = FreeThread.current();
            return me != null && me.asks;
        }
        Turn me = Engine.counted();
        return me != null && me.asks;
    }

    /**
     * What a generator of random numbers begins with. Some are made by whoever needs them first,
     * for all, and that may be another thread than it was.
     */
    public static long seed(long value) {
        Turn me = given == null || Free.on ? null : Engine.counted();
        if (me == null || me.given != null && me.given.has(SEEDS)) {
            return see(SEEDS, value);
        }
        for (int number = 0; number < Engine.count(); number++) {
            Turn other = Engine.turn(number);
            if (other.given != null && other.given.has(SEEDS)) {
                return other.given.next(SEEDS, value);
            }
        }
        return value;
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

    public static Instant seen(Instant value) {
        if (!isAsked()) {
            return value;
        }
        long second = see(INSTANTS, value.getEpochSecond());
        long nano = see(INSTANTS, value.getNano());
        return Instant.ofEpochSecond(second, nano);
    }

    /** Random bytes. */
    public static void seen(byte[] bytes) {
        for (int at = 0; at < bytes.length; at += 8) {
            long value = 0;
            int end = Math.min(bytes.length, at + 8);
            for (int i = at; i < end; i++) {
                value |= (bytes[i] & 0xffL) << 8 * (i - at);
            }
            value = see(BYTES, value);
            for (int i = at; i < end; i++) {
                bytes[i] = (byte) (value >>> 8 * (i - at));
            }
        }
    }

    /** Of what an object is made that would take what comes. */
    public static long seed() {
        return see(new Random().nextLong());
    }

    public static long millis() {
        return see(System.currentTimeMillis());
    }
}
