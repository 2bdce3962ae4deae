package reprise.scheduler;

/** What is inserted into the classes of the program. */
public final class At {
    /** The place that a schedule waits for; others are passed with one comparison. */
    static int awaited = Turn.NOWHERE;

    private At() {}

    /** Before a bytecode that a schedule names. */
    public static void before(int site) {
        if (site == awaited) {
            Turn me = Engine.counted();
            if (me != null) {
                Engine.policy.before(me, site);
            }
        }
    }

    /** Before a call in which a schedule wants a thread to block. */
    public static void in(int site) {
        if (site == awaited) {
            Turn me = Engine.counted();
            if (me != null) {
                Engine.policy.calls(me, site);
            }
        }
    }
}
