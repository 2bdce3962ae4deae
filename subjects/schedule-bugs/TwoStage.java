// What was read under one lock is out of date under the other. Fails with a status.

public class TwoStage {
    static final Object FIRST = new Object();
    static final Object SECOND = new Object();
    static int version;
    static int copy;

    static void read() {
        int seen;
        synchronized (FIRST) {
            seen = version;
        }
        synchronized (SECOND) {
            copy = seen;
        }
    }

    static void write() {
        synchronized (FIRST) {
            version++;
        }
        synchronized (SECOND) {
            copy = version;
        }
    }

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        both(TwoStage::read, TwoStage::write);
        System.exit(copy == version ? 0 : 1);
    }
}
