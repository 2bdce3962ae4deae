// A producer and two consumers share a buffer with no synchronisation. Under the
// schedule `failure.sched` the first consumer takes what the second has taken.
// `lines.sched` is the same by source lines. Takes no arguments; prints what went
// wrong, if anything, and exits with status 1 then.

class Buffer {
    private final int[] items = new int[10];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    void put(int item) {
        items[count++] = item;
    }

    int get() {
        return items[--count];
    }
}

class Producer extends Thread {
    private final Buffer buffer;

    Producer(Buffer buffer) {
        this.buffer = buffer;
    }

    @Override
    public void run() {
        for (int item = 0; item < 2; item++) {
            buffer.put(item);
        }
    }
}

class Consumer extends Thread {
    private final Buffer buffer;

    Consumer(Buffer buffer) {
        this.buffer = buffer;
    }

    @Override
    public void run() {
        if (!buffer.isEmpty()) {
            buffer.get();
        }
    }
}

public class Main {
    static volatile boolean failed;

    public static void main(String[] arguments) throws InterruptedException {
        Buffer buffer = new Buffer();
        Producer producer = new Producer(buffer);
        Thread[] consumers = {new Consumer(buffer), new Consumer(buffer)};
        for (Thread consumer : consumers) {
            consumer.setUncaughtExceptionHandler((thread, error) -> {
                System.out.println("a consumer failed: " + error.getMessage());
                failed = true;
            });
        }
        producer.start();
        consumers[0].start();
        consumers[1].start();
        producer.join();
        consumers[0].join();
        consumers[1].join();
        System.exit(failed ? 1 : 0);
    }
}
