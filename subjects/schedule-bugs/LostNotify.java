// Lost notification: nobody looks whether it has come already. Deadlock.

public class LostNotify {
    static final Object LOCK = new Object();

    public static void main(String[] arguments) throws Exception {
        Thread other = new Thread(() -> {
            synchronized (LOCK) {
                LOCK.notify();
            }
        });
        other.start();
        synchronized (LOCK) {
            LOCK.wait();
        }
    }
}
