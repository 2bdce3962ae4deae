// A manager of blocks of memory: who frees looks at the count and changes it in two steps.

public class Manager {
    private static int used = 4;
    private static boolean[] free = new boolean[4];
    private static int requests;

    private static void release(int block) {
        synchronized (free) {
            free[block] = true;
            requests++;
        }
        int before = used;
        Noise.make();
        used = before - 1;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> release(0), () -> release(1), () -> release(2), () -> release(3));
        int left = 0;
        for (boolean block : free) {
            left += block ? 0 : 1;
        }
        Noise.check(used == left, "a block is used that is free");
    }
}
