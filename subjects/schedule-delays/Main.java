import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A thread of a pool waits until its time has run out, while nobody else could go on, and then
 * blocks at the same place of the JDK until there is more to do; so does one with a monitor.
 */
public class Main {
    private static int asked;

    private static synchronized void ask() throws InterruptedException {
        // Nobody notifies: the time runs out.
        Main.class.wait(2);
        Main.class.wait(2);
        asked++;
        Main.class.notifyAll();
        while (asked < 2) {
            Main.class.wait();
        }
    }

    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        for (int i = 0; i < 3; i++) {
            int number = i;
            System.out.println(pool.schedule(() -> "done " + number, 3, TimeUnit.MILLISECONDS).get());
        }
        pool.shutdown();
        Thread other = new Thread(() -> {
            try {
                ask();
            } catch (InterruptedException interrupted) {
                System.out.println("interrupted");
            }
        });
        other.start();
        ask();
        other.join();
        System.out.println("asked " + asked);
    }
}
