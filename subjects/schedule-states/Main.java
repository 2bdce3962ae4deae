// What wait, notify, join, sleep and interrupt do to a thread, case by case; the
// argument says which. `KIND.sched` is a schedule for it.

public class Main {
    static final Object lock = new Object();

    static void waits() {
        synchronized (lock) {
            try {
                lock.wait();
                System.out.println("woken, flag " + Thread.interrupted());
            } catch (InterruptedException interrupted) {
                System.out.println("interrupted, flag " + Thread.interrupted());
            }
        }
    }

    static void notified() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        String kind = arguments[0];
        Thread other = new Thread(kind.equals("deadlock") ? Main::nests : Main::waits);
        other.start();
        switch (kind) {
            case "notify":
                Thread.sleep(1);
                notified();
                other.interrupt();
                break;
            case "interrupt":
                Thread.sleep(1);
                other.interrupt();
                notified();
                break;
            default:
                synchronized (lock) {
                    synchronized (Main.class) {
                        System.out.println("both");
                    }
                }
        }
        other.join();
        System.out.println("joined");
    }

    static void nests() {
        synchronized (Main.class) {
            synchronized (lock) {
                System.out.println("both");
            }
        }
    }
}
