// A producer and two consumers for ever, with no synchronisation: the example of the
// paper that the schedule language is from. `failure.sched` lets both consumers see
// the same element; `loop.sched` lets the producer take turns with the first consumer
// twice, and from then on with the second. Ends when nine elements have been produced.

class Buffer {
    private final int[] items = new int[1];
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

class Producer implements Runnable {
    private final Buffer buffer;

    Producer(Buffer buffer) {
        this.buffer = buffer;
    }

    @Override
    public void run() {
        int item = 1;
        while (true) {
            if (buffer.isEmpty()) {
                if (item == 10) {
                    System.exit(0);
                }
                buffer.put(item++);
            }
        }
    }
}

class Consumer implements Runnable {
    private final Buffer buffer;
    private final String name;

    Consumer(Buffer buffer, String name) {
        this.buffer = buffer;
        this.name = name;
    }

    @Override
    public void run() {
        while (true) {
            if (!buffer.isEmpty()) {
                System.out.println(name + " takes " + buffer.get());
            }
        }
    }
}

public class Main {
    public static void main(String[] arguments) throws InterruptedException {
        Buffer buffer = new Buffer();
        Thread[] threads = {
            new Thread(new Producer(buffer)),
            new Thread(new Consumer(buffer, "first")),
            new Thread(new Consumer(buffer, "second")),
        };
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            System.out.println(error.getMessage());
            System.exit(1);
        });
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
