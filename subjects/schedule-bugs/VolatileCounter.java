// Lost update of a volatile field, which is no remedy. Fails with a status.

public class VolatileCounter {
    static volatile int counter;

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        both(() -> counter++, () -> counter++);
        System.exit(counter == 2 ? 0 : 1);
    }
}
