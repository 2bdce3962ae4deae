package reprise.scheduler;

/** Ends a program that cannot go on, and says where each of its threads stands. */
final class Ending {
    /** The status of a JVM that was ended so; what it means is in the report. */
    private static final int STATUS = 3;

    private Ending() {}

    /** Reports, and ends the JVM at once. Never returns. */
    static IllegalStateException end(Turn me, String what, String text) {
        // Nothing that is called from here on is the scheduler's business.
        Engine.policy = null;
        Engine.frozen = true;
        report(what, text);
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.state != Turn.DEAD) {
                report("stands", line(turn, turn == me));
            }
        }
        if (Serving.active) {
            Serving.end(STATUS);
            Engine.stay();
        }
        Runtime.getRuntime().halt(STATUS);
        return new IllegalStateException();
    }

    /** Says something to whoever started the program. */
    static void report(String what, String text) {
        if (Serving.active) {
            Serving.say(what, text);
        } else {
            Native.report(what, text);
        }
    }

    private static String line(Turn turn, boolean running) {
        return "thread " + turn.number + " (" + turn.thread.getName() + ") " + how(turn, running)
                + where(turn.thread);
    }

    private static String how(Turn turn, boolean running) {
        switch (turn.state) {
            case Turn.NEW:
                return "has not been started";
            case Turn.MONITOR:
                return "needs a monitor" + owned(turn.on);
            case Turn.WAITING:
                return turn.on instanceof Thread ? "waits for a thread to end" : "waits to be notified";
            case Turn.PARKED:
                return "is parked";
            case Turn.SLEEPING:
                return "sleeps";
            case Turn.OUTSIDE:
                return "waits for something outside";
            default:
                return running ? "runs" : "could go on";
        }
    }

    private static String owned(Object monitor) {
        Turn owner = monitor == null ? null : Owners.of(monitor);
        return owner == null ? "" : " that thread " + owner.number + " has";
    }

    private static String where(Thread thread) {
        StackTraceElement frame = own(thread.getStackTrace());
        return frame == null ? "" : ", at " + frame.getFileName() + ":" + frame.getLineNumber() + " in "
                + frame.getClassName() + "." + frame.getMethodName();
    }

    /** The source line of the first frame that is the program's own; empty if there is none. */
    static String place(StackTraceElement[] stack) {
        StackTraceElement frame = own(stack);
        return frame == null ? "" : frame.getFileName() + ":" + frame.getLineNumber();
    }

    /** The same, as the end of a sentence. */
    static String from(StackTraceElement[] stack) {
        String place = place(stack);
        return place.isEmpty() ? "" : " from " + place;
    }

    /** Whether what called the scheduler is code of the JDK. */
    static boolean isInJdk(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (!frame.getClassName().startsWith("reprise.scheduler.")) {
                return isJdk(frame.getClassName());
            }
        }
        return false;
    }

    private static boolean isJdk(String name) {
        return name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.");
    }

    private static StackTraceElement own(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (!isJdk(name) && !name.startsWith("reprise.scheduler.")) {
                return frame;
            }
        }
        return null;
    }
}
