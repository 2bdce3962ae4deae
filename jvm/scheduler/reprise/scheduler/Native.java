package reprise.scheduler;

/** What the agent does for the scheduler. */
final class Native {
    private Native() {}

    /** Says something to whoever started the program. */
    static native void report(String what, String text);
}
