package reprise.scheduler;

/**
 * The JVM ends while threads run freely, as daemons do. Others may have seen what such a thread
 * did last, and to keep that order the schedule has to stop it at a place behind. So it comes to
 * one more place, which is the last that is written down, and the JVM ends a moment later where
 * that is needed.
 */
final class CutOff {
    /** For so long threads may compute before they come to a place. */
    private static final long COMPUTING = 5 * Computing.SECOND;
    private static final long LOOK = Computing.SECOND / 1000;

    /** Whether the JVM ends. */
    static volatile boolean on;

    private CutOff() {}

    /** The calling thread ends the JVM; null if it is none of the program's. */
    static void begin(FreeThread me) {
        FreeTable.tellAllFollowed();
        on = true;
        Computing computing = new Computing(COMPUTING);
        // Who initialises a class at this moment may have counted further.
        for (Initialised.notice(); FreeTable.isAnyAwaited(me); Initialised.notice()) {
            if (!computing.lasts()) {
                return;
            }
            // Those that are awaited may need this processor.
            Native.pause(LOOK);
        }
    }
}
