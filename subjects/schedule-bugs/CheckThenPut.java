// Check-then-act on a concurrent map. Fails with a status.

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

public class CheckThenPut {
    static final ConcurrentHashMap<String, Integer> MAP = new ConcurrentHashMap<>();
    static final AtomicInteger CREATED = new AtomicInteger();

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        Runnable once = () -> {
            if (!MAP.containsKey("key")) {
                MAP.put("key", CREATED.incrementAndGet());
            }
        };
        both(once, once);
        System.exit(CREATED.get() == 1 ? 0 : 1);
    }
}
