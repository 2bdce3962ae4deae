package reprise.scheduler;

/** What the agent does for the scheduler. */
final class Native {
    private Native() {}

    /** Says something to whoever started the program. */
    static native void report(String what, String text);

    /** Writes an event of a schedule. */
    static native void event(int site, long count, boolean in);

    /** Writes that a thread waits for something outside, and where in the program. */
    static native void outside(long count, String place);

    /** Writes an action of a schedule; -1 for nobody. */
    static native void action(String word, int thread);

    /** Writes a value that a thread has read, and of which kind it is. */
    static native void value(String thread, String kind, long value);

    /** Whether objects of a class have the hash that the JVM gives them. */
    static native boolean hashesByIdentity(Class<?> type);

    /**
     * What a place uses that other threads may use, as a number from 1 on, shifted by one;
     * the lowest bit is set if it only reads. 1 for nothing.
     */
    static native int use(int site);

    /** What a place accesses, above three bits for how; negative for nothing. */
    static native int element(int site);

    /** Which of all places that access something this is, in every run the same; negative for none. */
    static native int place(int site);

    /** How many bytes {@link #room} has: little for threads that do little. */
    static long room(int part) {
        return 1024L << Math.min(2 * part, 10);
    }

    /** Memory for what a thread writes, which is a file; 0 if there is none. */
    static native long room(int thread, String descent, int part);

    /** Nothing more is written there. */
    static native void written(long room, int part);

    /** Whether a thread may have to wait where it reads from or writes to a file descriptor. */
    static native boolean waits(int descriptor);

    /** Whether it need not, now or in so many milliseconds. */
    static native boolean poll(int descriptor, boolean write, int millis);

    /**
     * Makes all threads see what this one has written, and this one see what they have; false
     * if the system cannot do that.
     */
    static native boolean barrier();

    /** Does nothing for so many nanoseconds; leaves interrupts and permits as they are. */
    static native void pause(long nanos);

    /** For how long the threads of this JVM have had a processor, all together, in nanoseconds. */
    static native long used();

    /** The thread that has the monitor; null for none. */
    static native Thread owner(Object monitor);
}
