// One is notified where all have to be: a producer wakes a producer. Deadlock.

public class NotifyOne {
    private int items;

    synchronized void put() throws InterruptedException {
        while (items == 1) {
            wait();
        }
        items++;
        notify();
    }

    synchronized void take() throws InterruptedException {
        while (items == 0) {
            wait();
        }
        items--;
        notify();
    }

    interface Action {
        void run() throws InterruptedException;
    }

    static Thread start(Action action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
                action.run();
            } catch (InterruptedException never) {
                System.exit(2);
            }
        });
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        NotifyOne buffer = new NotifyOne();
        Thread[] threads = {start(buffer::put), start(buffer::put), start(buffer::take), start(buffer::take)};
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
