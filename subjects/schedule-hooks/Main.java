/**
 * Has something to do at its end, while a daemon is at work: the JVM starts that, and no thread of the
 * program, so nobody gives way to it.
 */
public class Main {
    private static final Object LOCK = new Object();
    private static int worked;

    private static void work() {
        for (;;) {
            synchronized (LOCK) {
                worked++;
                LOCK.notifyAll();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("at the end")));
        Thread daemon = new Thread(Main::work);
        daemon.setDaemon(true);
        daemon.start();
        synchronized (LOCK) {
            while (worked < 100) {
                LOCK.wait();
            }
        }
        System.out.println("worked");
    }
}
