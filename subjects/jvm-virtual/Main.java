import java.lang.reflect.Method;

/** Virtual threads, where there are any: each is a stream like any other. */
public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside();
        for (int i = 1; i <= 3; i++) {
            int number = i;
            start(() -> inside.add(number, new Outside())).join();
        }
        System.out.println(inside.total());
    }

    private static Thread start(Runnable task) throws Exception {
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            return (Thread) start.invoke(null, task);
        } catch (NoSuchMethodException older) {
            Thread thread = new Thread(task, "");
            thread.start();
            return thread;
        }
    }
}

class Outside {
    /** A virtual thread leaves its carrier here, and may come back on another. */
    int slow(int number) {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return number;
    }
}

class Inside {
    private int total;

    void add(int number, Outside outside) {
        int slow = outside.slow(number);
        synchronized (this) {
            total += slow;
        }
    }

    int total() {
        return total;
    }
}
