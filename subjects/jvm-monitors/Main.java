/** Threads that meet at monitors and at a volatile field of the inside. */
public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside();
        System.out.println(inside.bump() + inside.bump());
        Thread other = new Thread(() -> System.out.println(inside.bump() + inside.block()), "other");
        other.start();
        other.join();
        System.out.println(inside.block() + inside.bump());
        inside.set(5);
        Thread reader = new Thread(() -> System.out.println(inside.get()), "reader");
        reader.start();
        reader.join();
        System.out.println(inside.get());
        try {
            Inside.of(null);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
        inside.set(6);
        System.out.println(inside.get());
    }
}

class Inside {
    private final Object lock = new Object();
    private int count;
    private volatile long flag;

    synchronized int bump() {
        return ++count;
    }

    int block() {
        synchronized (lock) {
            return count++;
        }
    }

    void set(long value) {
        flag = value;
    }

    long get() {
        return flag;
    }

    static long of(Inside inside) {
        return inside.flag;
    }
}
