// A turn is given on with a flag that is not looked at and taken in one step: two threads are in
// the critical section at once.

public class Critical {
    private static volatile boolean taken;
    private static volatile int inside;
    private static int[] visits = new int[3];

    private static void enter(int thread) {
        while (taken) {
            Thread.yield();
        }
        Noise.make();
        taken = true;
        inside = inside + 1;
        Noise.make();
        boolean alone = inside == 1;
        visits[thread]++;
        inside = inside - 1;
        taken = false;
        Noise.check(alone, "two threads are inside");
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> enter(0), () -> enter(1), () -> enter(2));
    }
}
