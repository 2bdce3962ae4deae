// A class whose initialiser needs a monitor, while others need the class: who waits for the
// initialiser of another thread waits for nothing that anybody can see.

public class Main {
    static final Object LOCK = new Object();
    static volatile int shared;

    static final class Slow {
        static final int VALUE;

        static {
            synchronized (LOCK) {
                VALUE = ++shared;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                if (number == 0) {
                    synchronized (LOCK) {
                        for (int step = 0; step < 20; step++) {
                            shared++;
                        }
                    }
                }
                int seen = shared;
                System.out.println(number + " " + Slow.VALUE + " " + seen);
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
