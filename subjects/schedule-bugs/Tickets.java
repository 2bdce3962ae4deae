// More tickets are sold than there are. Fails with a status.

public class Tickets {
    static int left = 2;
    static int sold;
    static final Object LOCK = new Object();

    static void sell() {
        if (left > 0) {
            synchronized (LOCK) {
                left--;
                sold++;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            threads[i] = new Thread(Tickets::sell);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.exit(sold <= 2 ? 0 : 1);
    }
}
