// Virtual threads and a platform thread add to a counter. The virtual ones are made by
// reflection, so that every JDK compiles this; on one that has none it prints so.

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

public class Main {
    public static void main(String[] arguments) throws Exception {
        AtomicInteger counter = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(3);
        Runnable adds = () -> {
            counter.incrementAndGet();
            done.countDown();
        };
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException none) {
            System.out.println("no virtual threads here");
            return;
        }
        new Thread(adds).start();
        start.invoke(null, adds);
        start.invoke(null, adds);
        done.await();
        System.out.println("the counter is " + counter.get());
    }
}
