import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Two threads have a cache with values that the garbage collector may take away, in references
 * of a class of its own; a third one waits for what it has taken. With the argument "collect" it
 * does so in between, otherwise only if the JVM has little memory for what is new: for each value
 * there is ten times as much that nobody needs.
 */
public class Main {
    private static final int VALUES = 400;

    private static final ReferenceQueue<Object> WAITED_FOR = new ReferenceQueue<>();
    private static final ReferenceQueue<byte[]> LOOKED_INTO = new ReferenceQueue<>();
    private static final Map<Integer, Value> CACHE = new ConcurrentHashMap<>();

    static final class Value extends SoftReference<byte[]> {
        final int key;

        Value(int key, byte[] bytes) {
            super(bytes);
            this.key = key;
        }
    }

    static final class Weak extends WeakReference<byte[]> {
        final int key;

        Weak(int key, byte[] bytes) {
            super(bytes, LOOKED_INTO);
            this.key = key;
        }
    }

    /** One of the two threads: what it has found. */
    static final class User extends Thread {
        private final int first;
        private final boolean collects;
        private final Weak[] weak = new Weak[VALUES];
        private final Map<Object, Integer> table = new WeakHashMap<>();
        private int gone;
        private int came;
        private long sum;

        User(int first, boolean collects) {
            this.first = first;
            this.collects = collects;
        }

        @Override
        public void run() {
            for (int number = 0; number < VALUES; number++) {
                weak[number] = new Weak(number, new byte[1000]);
                CACHE.put(first + number, new Value(number, new byte[1]));
                if (!collects) {
                    table.put(new byte[10], number);
                    sum += table.size();
                }
                byte[] unneeded = new byte[10_000];
                sum += unneeded.length;
                if (collects && number == VALUES / 2 && first > 0) {
                    System.gc();
                }
                look(number);
            }
        }

        private void look(int number) {
            for (Reference<? extends byte[]> found = LOOKED_INTO.poll(); found != null; found = LOOKED_INTO.poll()) {
                came++;
                sum = 31 * sum + ((Weak) found).key;
            }
            for (int before = 0; before < number; before += 50) {
                Weak asked = weak[before];
                if (asked.get() == null) {
                    gone++;
                }
                if (CACHE.get(first + before).get() == null) {
                    gone++;
                }
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean collects = arguments.length > 0;
        WeakReference<Object> last = new WeakReference<>(new Object(), WAITED_FOR);
        int[] taken = {0};
        Thread waits = new Thread(() -> {
            try {
                while (WAITED_FOR.remove() == last) {
                    synchronized (taken) {
                        taken[0]++;
                        taken.notifyAll();
                    }
                }
            } catch (InterruptedException interrupted) {
                System.out.println("waits no more");
            }
        });
        waits.start();
        User one = new User(0, collects);
        User two = new User(VALUES, collects);
        one.start();
        two.start();
        one.join();
        two.join();
        if (collects) {
            synchronized (taken) {
                while (taken[0] == 0) {
                    taken.wait();
                }
            }
        }
        System.out.println("taken " + taken[0] + " one " + one.gone + " " + one.came + " " + one.sum
                + " two " + two.gone + " " + two.came + " " + two.sum);
        waits.interrupt();
        waits.join();
    }
}
