import java.util.ArrayList;
import java.util.List;

/**
 * Threads that race for plain fields: what they read and lose decides what the
 * inside returns in the end. It differs from run to run, so it is not printed.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Race race = new Race();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int me = i;
            Thread thread = new Thread(() -> race.run(me, 500), "racer-" + i);
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
    private static long of = 1;
    private long lost = 1;
    private String last = "";
    private Race next;
    private final long never = 7;

    void run(int me, int count) {
        for (int i = 0; i < count; i++) {
            long was = lost;
            if (i % 3 == 0) {
                Thread.yield();
            }
            lost = was * 31 + me;
            of = of * 17 + lost;
            last = me % 2 == 0 ? "even" + me : null;
            String seen = last;
            of += seen == null ? never : seen.length();
            push(i);
        }
    }

    /** A list whose elements get lost. */
    private void push(int i) {
        Race one = new Race();
        one.lost = i;
        one.next = next;
        next = i % 10 == 0 ? null : one;
    }

    /** A read of null throws, and nobody is held up by that. */
    int fails() {
        int thrown = 0;
        for (int i = 0; i < 3; i++) {
            try {
                Race none = null;
                thrown += (int) none.lost;
            } catch (NullPointerException expected) {
                thrown++;
            }
        }
        return thrown;
    }

    long result() {
        long sum = lost + of;
        for (Race one = next; one != null; one = one.next) {
            sum = sum * 31 + one.lost;
        }
        return sum == 0 ? 1 : sum;
    }
}
