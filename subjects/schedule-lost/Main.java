// Two threads add 1 to a counter, each three times, and an addition may be lost: the
// program says what the counter is, and ends with status 1 if it is not 6.

class Counter {
    private int value;

    void add() {
        value = value + 1;
    }

    int get() {
        return value;
    }
}

public class Main {
    public static void main(String[] arguments) throws InterruptedException {
        Counter counter = new Counter();
        Runnable adds = () -> {
            for (int i = 0; i < 3; i++) {
                counter.add();
            }
        };
        Thread first = new Thread(adds);
        Thread second = new Thread(adds);
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("the counter is " + counter.get());
        System.exit(counter.get() == 6 ? 0 : 1);
    }
}
