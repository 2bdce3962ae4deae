import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Threads that race for elements of arrays: what they read and lose decides what
 * the inside returns in the end. It differs from run to run, so it is not printed.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Race race = new Race();
        race.link();
        long[] lent = race.lend();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int me = i;
            Thread thread = new Thread(() -> {
                for (int round = 0; round < 20; round++) {
                    race.run(me, 10);
                    // Both sides have this one, and it is nobody's turn.
                    lent[4 + me] = 1000 * me + round;
                    race.look(me);
                }
            }, "racer-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (race.result() == 0) {
            System.out.println("nobody ran");
        }
        System.out.println(race.fails());
    }
}

class Race {
    private static final VarHandle STRINGS = MethodHandles.arrayElementVarHandle(String[].class);

    private final byte[] bytes = new byte[3];
    private final boolean[] flags = new boolean[2];
    private final char[] chars = new char[2];
    private final short[] shorts = {1, 2};
    private final int[] ints = {1, 1, 1, 1};
    private final long[] longs = new long[8];
    private final float[] floats = {1};
    private final double[] doubles = {1, 2};
    private final String[] strings = new String[4];
    private final int[][] rows = new int[2][];
    /** The outside keeps it, and gives it to whoever asks. */
    private final SoftReference<Object[]> kept = new SoftReference<>(new Object[4]);
    private long sum;

    long[] lend() {
        return longs;
    }

    void run(int me, int count) {
        long mine = 0;
        for (int i = 0; i < count; i++) {
            int was = ints[0];
            if (i % 3 == 0) {
                Thread.yield();
            }
            ints[0] = was * 31 + me;
            longs[me & 1] += ints[0];
            bytes[i % 3] = (byte) (bytes[(i + 1) % 3] + me);
            flags[me & 1] = !flags[i & 1];
            chars[0] ^= (char) (chars[1] + me);
            chars[1]++;
            shorts[0] += shorts[1];
            shorts[1] = (short) me;
            floats[0] = floats[0] / 2 + me;
            doubles[me & 1] = doubles[0] - doubles[1];
            // By a handle and directly.
            if (STRINGS.compareAndSet(strings, i & 3, null, "set by " + me)) {
                mine++;
            } else if (i % 2 == 0) {
                strings[i & 3] = null;
            }
            String seen = strings[(i + 1) & 3];
            mine += seen == null ? 3 : seen.charAt(7);
            // All at once.
            System.arraycopy(ints, 0, ints, 1, 3);
            int[] copy = i % 2 == 0 ? ints.clone() : Arrays.copyOf(ints, 5);
            mine += Arrays.hashCode(copy);
            if (i % 5 == 0) {
                Arrays.fill(bytes, (byte) me);
            }
            rows[me & 1] = copy;
            int[] other = rows[1 - (me & 1)];
            if (other != null) {
                mine += other[0];
                other[0] = me;
                System.arraycopy(other, 0, ints, 2, 2);
            }
            mine += fails() + meets(me, i);
        }
        synchronized (this) {
            sum = sum * 31 + mine;
        }
    }

    /** The JVM asks the loader for the class of what is called, in the middle of its turn. */
    void link() throws Exception {
        Class<?> copies = new Loads().loadClass("Copies");
        ((Runnable) copies.getDeclaredConstructor(int[].class).newInstance((Object) ints)).run();
    }

    /** What others write while an array is outside is no work of the outside. */
    private int meets(int me, int i) {
        Object[] all = kept.get();
        if (all == null) {
            return 1;
        }
        Object met = all[i & 3];
        all[(i + me) & 3] = i % 4 == 0 ? null : strings[i & 3];
        int known = Objects.hash(all[0] == null, all.length) + Arrays.asList(all).indexOf("set by 2");
        return met == null ? known : known + 1;
    }

    /** What the outside writes is found where it was. */
    void look(int me) {
        long seen = longs[4 + me];
        synchronized (this) {
            sum = sum * 31 + seen;
        }
    }

    /** A use that throws holds up nobody. */
    int fails() {
        int thrown = 0;
        for (int i = 0; i < 6; i++) {
            try {
                switch (i) {
                    case 0:
                        thrown += ints[4];
                        break;
                    case 1:
                        ints[-1] = 1;
                        break;
                    case 2:
                        Object[] all = strings;
                        all[0] = this;
                        break;
                    case 3:
                        int[] none = null;
                        thrown += none[0];
                        break;
                    case 4:
                        // A handle for elements that is given no array.
                        Object nothing = STRINGS.get();
                        thrown += nothing == null ? 1 : 2;
                        break;
                    default:
                        System.arraycopy(ints, 0, strings, 0, 1);
                }
            } catch (RuntimeException expected) {
                thrown++;
            }
        }
        return thrown;
    }

    synchronized long result() {
        long all = sum + ints[0] + longs[0] + longs[1] + bytes[0] + chars[0] + shorts[0]
            + Float.floatToIntBits(floats[0]) + Double.doubleToLongBits(doubles[0]) + (flags[0] ? 1 : 2);
        return all == 0 ? 1 : all;
    }
}

class Loads extends ClassLoader {
    private int asked;

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        asked++;
        if (!name.equals("Copies")) {
            return super.loadClass(name, resolve);
        }
        try (InputStream in = getResourceAsStream("Copies.class")) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
