// A producer and a consumer share an index without a lock. Fails with an exception.

public class SharedIndex {
    static final int[] ITEMS = new int[2];
    static int size;

    static void put(int item) {
        if (size < ITEMS.length) {
            ITEMS[size] = item;
            size++;
        }
    }

    static void take() {
        if (size > 0) {
            size--;
            ITEMS[size] = 0;
        }
    }

    public static void main(String[] arguments) throws Exception {
        size = 1;
        Thread[] threads = {new Thread(SharedIndex::take), new Thread(SharedIndex::take)};
        for (Thread thread : threads) {
            thread.start();
        }
        put(1);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
