// A reader of a ring says that it has read before it has: a writer that is far ahead laps it.
// The reader must lose the processor for about as long as the writer needs for a whole lap.

public class LappedReader {
    private static final int SIZE = 64;
    private static final int ITEMS = 400;

    private static final int[] slots = new int[SIZE];
    private static volatile int written;
    private static volatile int read;
    private static int sum;
    private static int waits;
    private static int batches;
    private static boolean ended;

    private static void write() {
        for (int item = 0; item < ITEMS; item++) {
            while (item - read >= SIZE) {
                waits++;
                Thread.yield();
            }
            slots[item % SIZE] = item;
            written = item + 1;
        }
        ended = true;
    }

    private static void read() {
        int next = 0;
        while (next < ITEMS) {
            int until = written;
            if (until == next) {
                Thread.yield();
                continue;
            }
            // Only half of what is there, so that the writer has room.
            until = next + (until - next + 1) / 2;
            batches++;
            read = until;
            Noise.rarely(200);
            while (next < until) {
                int item = slots[next % SIZE];
                if (item != next) {
                    // The writer need not wait any more.
                    read = ITEMS;
                    throw new IllegalStateException("another item");
                }
                sum += item;
                next++;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(LappedReader::write, LappedReader::read);
        if (!ended) {
            System.out.println("the writer gave up");
        }
    }
}
