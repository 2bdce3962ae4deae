// An interrupt is swallowed on its way, and nobody stops. Deadlock.

public class Swallowed {
    static boolean busy = true;
    static final Object LOCK = new Object();

    public static void main(String[] arguments) throws Exception {
        Thread works = new Thread(() -> {
            if (busy) {
                // Somebody did not want to be disturbed at work.
                Thread.interrupted();
            }
            synchronized (LOCK) {
                try {
                    LOCK.wait();
                } catch (InterruptedException stopped) {
                    return;
                }
            }
        });
        works.start();
        works.interrupt();
        works.join();
    }
}
