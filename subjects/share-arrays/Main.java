// Threads that access arrays all the time: some together, some each its own, and one that
// throws in the middle. How often each is accessed is known, whatever the threads do.
// Two threads add up what they have counted; what each added is in the last line.

public class Main {
    private static final int ROUNDS = 20_000;
    private static final int[] together = new int[2];
    private static final long[][] rows = new long[2][8];
    private static int thrown;

    private static void work(int number) {
        int[] own = new int[4];
        long[] row = rows[number];
        for (int i = 0; i < ROUNDS; i++) {
            // Three accesses to one element, with nothing in between.
            row[0] = row[1] + row[2] + i;
            own[i & 3] = i;
            together[number]++;
        }
        try {
            // One access that happens, and one that does not.
            row[3] = row[8];
        } catch (ArrayIndexOutOfBoundsException expected) {
            synchronized (Main.class) {
                thrown++;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread one = new Thread(() -> work(0));
        Thread two = new Thread(() -> work(1));
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(together[0] + together[1] + " " + thrown);
    }
}
