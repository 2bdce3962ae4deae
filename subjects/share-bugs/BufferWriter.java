// Writers take a place in a buffer and fill it in two steps, and one does so without the lock.

public class BufferWriter {
    private static int[] buffer = new int[16];
    private static int next;
    private static long written;
    private static final Object LOCK = new Object();

    private static void careful(int value) {
        for (int round = 0; round < 2; round++) {
            synchronized (LOCK) {
                buffer[next] = value;
                next++;
                written++;
            }
        }
    }

    private static void careless(int value) {
        for (int round = 0; round < 2; round++) {
            int place = next;
            buffer[place] = value;
            Noise.make();
            next = place + 1;
            synchronized (LOCK) {
                written++;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> careful(1), () -> careless(2), () -> careful(3));
        Noise.check(next == written, "something was written over");
    }
}
