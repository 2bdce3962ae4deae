// Deadlock: two locks, taken in either order.

public class Deadlock {
    static final Object LEFT = new Object();
    static final Object RIGHT = new Object();
    static int meals;

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    static void eat(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
                meals++;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        both(() -> eat(LEFT, RIGHT), () -> eat(RIGHT, LEFT));
    }
}
