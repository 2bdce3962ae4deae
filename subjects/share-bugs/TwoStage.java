// Two values that belong together are written in two steps, each under a lock.

public class TwoStage {
    private static final Object FIRST = new Object();
    private static final Object SECOND = new Object();
    private static int data;
    private static int copy;
    private static int reads;

    private static void write(int value) {
        synchronized (FIRST) {
            data = value;
        }
        Noise.make();
        synchronized (SECOND) {
            copy = value + 1;
        }
    }

    private static void read() {
        int one;
        synchronized (FIRST) {
            one = data;
        }
        int two;
        synchronized (SECOND) {
            two = copy;
            reads++;
        }
        Noise.check(one == 0 || two == one + 1, "the copy is not of the data");
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> write(1), TwoStage::read, TwoStage::read);
    }
}
