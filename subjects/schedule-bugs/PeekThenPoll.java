// Check-then-act on a queue. Fails with an exception.

import java.util.concurrent.ConcurrentLinkedQueue;

public class PeekThenPoll {
    static final ConcurrentLinkedQueue<String> QUEUE = new ConcurrentLinkedQueue<>();

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        QUEUE.add("one");
        Runnable takes = () -> {
            if (QUEUE.peek() != null) {
                QUEUE.poll().length();
            }
        };
        both(takes, takes);
    }
}
