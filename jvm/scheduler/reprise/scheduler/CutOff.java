package reprise.scheduler;

/**
 * The JVM ends while threads run freely, as daemons do. Others may have seen what such a thread
 * did last, and to keep that order the schedule has to stop it at a place behind. So it comes to
 * one more place, which is the last that is written down, and the JVM ends a moment later where
 * that is needed.
 */
final class CutOff {
    /** So many seconds a thread may compute before it comes to a place; a busy machine has others. */
    private static final int SECONDS = 5;

    /** Whether the JVM ends. */
    static volatile boolean on;

    private CutOff() {}

    /** The calling thread ends the JVM; null if it is none of the program's. */
    static void begin(FreeThread me) {
        FreeThread.tellAllFollowed();
        on = true;
        Patience patience = new Patience(SECONDS);
        do {
            // Who initialises a class at this moment may have counted further.
            Initialised.notice();
        } while (FreeThread.isAnyAwaited(me) && patience.lasts());
    }
}
