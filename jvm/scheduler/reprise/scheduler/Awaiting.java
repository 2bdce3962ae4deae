package reprise.scheduler;

/**
 * How a thread that runs freely waits for a stripe. Who has it leaves it soon, unless it waits
 * for something that nobody knows of, which the calling thread may be the one to bring about. On a
 * busy machine soon may be long: so it is asked how the other thread does, not what the clock says.
 */
final class Awaiting {
    private static final long SECOND = 1_000_000_000;
    /** So often it only looks again; then others may need the processor to go on. */
    private static final int LOOKS = 200;
    private static final int YIELDS = 400;
    private static final long PAUSE = 50_000;
    /** Who has come back lets others go first for so long. */
    private static final long POLITE = 200_000;
    /** Somebody who runs has it. */
    private static final long AT_MOST = 30 * SECOND;

    private final long begun = System.nanoTime();
    private boolean polite;
    private int looks;
    /** Since when who has it does not run. */
    private long stands = begun;

    /** With {@code polite}, others wait for what the thread had before. */
    Awaiting(boolean polite) {
        this.polite = polite;
    }

    /** Whether it leaves the stripe to others, as long as nobody else has been there. */
    boolean yields() {
        polite = polite && System.nanoTime() - begun < POLITE;
        return polite;
    }

    /** Whether others should know that it waits. */
    boolean isLong() {
        return looks >= LOOKS && !polite;
    }

    /** Lets a moment go by; false if it has been too long. The word says who has it. */
    boolean lasts(long word) {
        looks++;
        if (looks < LOOKS) {
            Thread.onSpinWait();
            return true;
        }
        if (looks < YIELDS) {
            Thread.yield();
            return true;
        }
        Native.pause(PAUSE);
        long now = System.nanoTime();
        FreeThread owner = word >= 0 ? null : FreeTable.numbered(FreeThread.of(word));
        if (word >= 0 || owner != null && owner.runs()) {
            stands = now;
        }
        return now - stands < SECOND && now - begun < AT_MOST;
    }
}
