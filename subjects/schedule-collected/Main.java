import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * What the garbage collector takes away where the program has no references of its own: keys of
 * tables, one of which two threads share, and what cleaners are to clean. It prints what was left
 * when, and what was cleaned by then. With the argument "finalizes" it has a finalizer, too.
 */
public class Main {
    private static final int ROUNDS = 300;
    private static final Map<Object, Integer> SHARED = Collections.synchronizedMap(new WeakHashMap<>());
    private static final Cleaner CLEANER = Cleaner.create();

    /** Counts what is cleaned. */
    static final class Count {
        private long sum;
        private int all;

        synchronized void add(int number) {
            sum = 31 * sum + number;
            all++;
        }

        @Override
        public synchronized String toString() {
            return all + "/" + sum;
        }
    }

    /** A table that is a class of the program. */
    static final class Own extends WeakHashMap<Key, Integer> {
        Own() {
            super(4);
        }
    }

    /** Equal to others: who looks for it may find one that is being taken away. */
    static final class Key {
        private final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    static final class User extends Thread {
        private final Count cleaned;
        private final Own own = new Own();
        private final Set<Object> set = Collections.newSetFromMap(new WeakHashMap<>());
        private final List<Object> kept = new ArrayList<>();
        private long sum;
        private int found;

        User(Count cleaned) {
            this.cleaned = cleaned;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                int number = round;
                Object value = new byte[2000];
                CLEANER.register(value, () -> cleaned.add(number));
                SHARED.put(new byte[10], round);
                own.put(new Key(round % 50), round);
                set.add(new byte[5]);
                if (round % 10 == 0) {
                    kept.add(value);
                }
                byte[] unneeded = new byte[20_000];
                sum = 31 * sum + unneeded.length + SHARED.size() + set.size();
                for (int before = 0; before < 50; before += 7) {
                    found += own.get(new Key(before)) == null ? 0 : 1;
                }
                for (Key key : own.keySet()) {
                    sum = 31 * sum + key.number;
                }
            }
        }
    }

    static final class Finalized {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            SHARED.clear();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0) {
            System.out.println(new Finalized().hashCode() == 0 ? "none" : "one");
            return;
        }
        Count cleaned = new Count();
        User one = new User(cleaned);
        User two = new User(cleaned);
        one.start();
        two.start();
        one.join();
        System.out.println("one " + one.sum + " " + one.found + " cleaned " + cleaned + " left " + SHARED.size());
        two.join();
        System.gc();
        System.out.println("two " + two.sum + " " + two.found + " cleaned " + cleaned + " left " + SHARED.size()
                + " " + one.own.size() + " " + two.set.size());
    }
}
