package reprise.runtime;

/** What the agent does for the runtime, all on rare paths. */
final class Native {
    private Native() {}

    /** Called with the first event of each thread; the agent has begun long before. */
    static void begin() {}

    /**
     * The number of a class in the tables, times four, plus two if it may copy objects unseen,
     * plus one if it is inside. A foreign one is not, whatever its name says.
     */
    static native long classInfo(Class<?> type, boolean isForeign);

    /**
     * Whether the member that a site names, looked up in this class, is outside.
     * Native methods count as outside, wherever they are declared.
     */
    static native boolean leaves(Class<?> type, int site);

    /** Whether this very class declares the method that a site names. */
    static native boolean declares(Class<?> type, int site);

    /**
     * Whether the method that a reference names, looked up in its owner, is
     * declared outside or native.
     */
    static native boolean refersOutside(Class<?> owner, int site);

    /** Whether a site leaves when its receiver is an immutable value of the JDK. */
    static native boolean leavesValue(int site);

    /** The stripe of the volatile inside field that a site names; -1 when it names none. */
    static native int stripe(int site);

    /** Stores a value in the tables and returns its number. */
    static native int value(byte[] constant);

    /** What a dry run has counted. */
    static native void counted(byte[] text);

    /** A site for a field that the call at another site has written to. */
    static native int fieldSite(int site, Class<?> owner, String name, String type,
        boolean isStatic);

    /**
     * The fields that a class declares: {@code static} or {@code own}, name and descriptor of
     * each, with a dot behind every word. Null if that is not known.
     */
    static native String fields(Class<?> type);

    /** A package of the JDK that the program may use, and not everybody. */
    static native void exported(String module, String packageName);

    /** Something that cannot be recorded, and why. */
    static native void left(String what, String why);

    /** A thread has no ring, so its events are not recorded. */
    static native void skipped(String thread);
}
