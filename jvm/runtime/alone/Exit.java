package reprise.runtime;

/** How the program ends, as far as its instrumented jar knows. */
public final class Exit {
    /** The JVM adds it to the number of a signal. */
    private static final int SIGNAL = 128;
    private static final int UNKNOWN = -1;

    private static int asked = UNKNOWN;
    private static boolean mainFailed;

    private Exit() {}

    /** The program is about to ask for its end. The first who does is heard. */
    public static synchronized void asks(int status) {
        if (asked == UNKNOWN) {
            asked = status & 0xff;
        }
    }

    /** A main method has thrown. */
    public static synchronized void fails() {
        mainFailed = true;
    }

    /** The status, once the JVM shuts down; negative when it is not known. */
    static synchronized int status() {
        if (asked != UNKNOWN) {
            return asked;
        }
        boolean wasAsked = false;
        for (java.util.Map.Entry<Thread, StackTraceElement[]> one : Thread.getAllStackTraces().entrySet()) {
            for (StackTraceElement frame : one.getValue()) {
                if (frame.getClassName().equals("java.lang.Shutdown") && frame.getMethodName().equals("exit")) {
                    int signal = signal(one.getKey().getName());
                    if (signal != UNKNOWN) {
                        return SIGNAL + signal;
                    }
                    wasAsked = true;
                }
            }
        }
        return wasAsked || !Alone.hasMain() ? UNKNOWN : mainFailed ? 1 : 0;
    }

    /** By the name of the thread in which the JVM handles it. */
    private static int signal(String thread) {
        switch (thread) {
            case "SIGHUP handler": return 1;
            case "SIGINT handler": return 2;
            case "SIGTERM handler": return 15;
            default: return UNKNOWN;
        }
    }
}
