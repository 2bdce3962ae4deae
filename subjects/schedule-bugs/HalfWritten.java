// Reader and writer: a reader sees one half of what was written. Fails with a status.

public class HalfWritten {
    static int low;
    static int high;

    public static void main(String[] arguments) throws Exception {
        Thread writer = new Thread(() -> {
            low = 1;
            high = 1;
        });
        writer.start();
        int seenLow = low;
        int seenHigh = high;
        writer.join();
        System.exit(seenLow == seenHigh ? 0 : 1);
    }
}
