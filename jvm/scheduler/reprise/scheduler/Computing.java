package reprise.scheduler;

/**
 * For how long others are waited for that compute: as long as they have not had so much of a
 * processor. On a busy machine that takes long, but while they wait for something that nobody
 * knows of, no longer than that.
 */
final class Computing {
    static final long SECOND = 1_000_000_000;
    private static final long AT_MOST = 60 * SECOND;
    /** Who has had less of a processor in all that time waits. */
    private static final long LITTLE = SECOND / 10;

    private final long enough;
    private final long used = Native.used();
    private final long begun = System.nanoTime();

    Computing(long enough) {
        this.enough = enough;
    }

    /** Whether they are waited for. */
    boolean lasts() {
        long computed = Native.used() - used;
        long passed = System.nanoTime() - begun;
        return computed <= enough && passed <= AT_MOST && (passed <= enough || computed >= LITTLE);
    }
}
