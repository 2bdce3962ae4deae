package reprise.scheduler;

/** How long a thread of which a share is recorded looks for what another one will do in a moment. */
final class Patience {
    private static final long SECOND = 1_000_000_000;
    /** So often it only looks again; then others may need the processor to go on. */
    private static final int LOOKS = 200;

    private int looks;
    private long end;

    /** Lets a moment go by; false if it has been too long. */
    boolean lasts() {
        if (looks < LOOKS) {
            looks++;
            Thread.onSpinWait();
            return true;
        }
        long now = System.nanoTime();
        if (looks == LOOKS) {
            looks++;
            end = now + SECOND;
        } else if (now - end > 0) {
            return false;
        }
        Thread.yield();
        return true;
    }
}
