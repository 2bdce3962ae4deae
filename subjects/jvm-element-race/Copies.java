/** What a loader of the inside defines: it asks that one for all that it names. */
public class Copies implements Runnable {
    private final int[] ints;

    public Copies(int[] ints) {
        this.ints = ints;
    }

    @Override
    public void run() {
        System.arraycopy(ints, 0, ints, 1, 1);
    }
}
