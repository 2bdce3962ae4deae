package reprise.scheduler;

/**
 * The JVM ends while threads run freely, as daemons do. Others may have seen what such a thread
 * did last, and to keep that order the schedule has to stop it at a place behind. So it comes to
 * one more place, which is the last that is written down, and the JVM ends a moment later where
 * that is needed.
 */
final class CutOff {
    private static final long SECOND = 1_000_000_000;
    /**
     * For so long threads may compute before they come to a place. On a busy machine that takes
     * longer, but while they wait for something that nobody knows of, no more than that.
     */
    private static final long COMPUTING = 5 * SECOND;
    private static final long AT_MOST = 60 * SECOND;
    /** Who has had less of a processor in all that time waits. */
    private static final long LITTLE = SECOND / 10;
    private static final long LOOK = SECOND / 1000;

    /** Whether the JVM ends. */
    static volatile boolean on;

    private CutOff() {}

    /** The calling thread ends the JVM; null if it is none of the program's. */
    static void begin(FreeThread me) {
        FreeThread.tellAllFollowed();
        on = true;
        long used = Native.used();
        long begun = System.nanoTime();
        // Who initialises a class at this moment may have counted further.
        for (Initialised.notice(); FreeThread.isAnyAwaited(me); Initialised.notice()) {
            long computed = Native.used() - used;
            long passed = System.nanoTime() - begun;
            if (computed > COMPUTING || passed > AT_MOST || passed > COMPUTING && computed < LITTLE) {
                return;
            }
            // Those that are awaited may need this processor.
            Native.pause(LOOK);
        }
    }
}
