package reprise.scheduler;

/**
 * The identity hashes that a thread has written down lately. Two objects may have the same: the
 * JVM draws them for each thread anew, and those of classes that it has stored are from another
 * run of it.
 */
final class Noted {
    private static final int COUNT = 1024;

    private final long[] known = new long[COUNT];

    /** Whether that is not among them. It is from now on. */
    boolean isNew(int kind, int hash) {
        int at = (hash ^ kind) & COUNT - 1;
        long both = both(kind, hash);
        boolean isNew = known[at] != both;
        known[at] = both;
        return isNew;
    }

    /** A hash and what its object is told by, in one. */
    static long both(int kind, int hash) {
        return (long) kind << 32 | hash;
    }
}
