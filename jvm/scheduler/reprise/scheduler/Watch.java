package reprise.scheduler;

import java.util.Arrays;

/**
 * Looks after the thread that has the turn. What blocks in the JDK goes to the scheduler,
 * but a thread may be in a system call, or in a wait of the JDK that the scheduler does
 * not see, and only another thread could end that: then all would stand still for ever.
 * Or it may look again and again for what another thread does ({@link Spinning}).
 */
final class Watch implements Runnable {
    /** So many looks with nothing changed are enough. */
    private static final int LOOKS = 6;
    /** So many if others wait for something, which may be this thread. */
    private static final int MANY_LOOKS = 60;
    /** Milliseconds between two looks; tests have less of them. */
    private static final long BETWEEN = Long.getLong("reprise.look", 1000);
    /** Between two looks nobody computes who has had less of a processor, in nanoseconds. */
    private static final long LITTLE = BETWEEN * 1_000_000 / 50;
    /** So long does nobody wait for a time of which a schedule says nothing, in milliseconds. */
    static final long TOO_LONG = 10 * BETWEEN;

    private static final String PACKAGE = "reprise.scheduler.";
    /** What calls the program, or the JDK in its place: below these a thread is not ours. */
    private static final String[] CALLING = {"Outside", "Pieces", "Serving"};

    private static boolean begun;

    private Watch() {}

    /** Called when the program has a second thread: before, nobody waits for a turn. */
    static void begin() {
        if (begun) {
            return;
        }
        begun = true;
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        Thread thread = new Thread(group, new Watch(), "reprise");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        Turn before = null;
        StackTraceElement[] stack = null;
        int looks = 0;
        long used = Native.used();
        Spinning spinning = new Spinning();
        for (;;) {
            try {
                Thread.sleep(BETWEEN);
            } catch (InterruptedException interrupted) {
                continue;
            }
            Turn turn = Engine.running;
            if (turn == null || turn == Engine.NOBODY || Engine.frozen) {
                looks = 0;
                continue;
            }
            StackTraceElement[] now = turn.thread.getStackTrace();
            long usedNow = Native.used();
            boolean initialises = usedNow - used < LITTLE && othersInitialise(turn);
            used = usedNow;
            boolean same = turn == before && Arrays.equals(stack, now)
                    && hasStopped(turn.thread, now, initialises);
            looks = same ? looks + 1 : 0;
            before = turn;
            stack = now;
            Policy policy = Engine.policy;
            if (looks >= LOOKS && Engine.running == turn && policy != null
                    && othersCouldRun(turn, looks >= MANY_LOOKS)) {
                policy.stopped(turn, call(now) + Ending.from(now));
            }
            if (policy != null) {
                spinning.look(turn, policy, now);
            }
        }
    }

    /** Whether a thread that follows a schedule has been in one call for too long. */
    static boolean isTooLong(Turn turn, long nanos) {
        long looks = nanos / 1_000_000 / BETWEEN;
        return looks >= LOOKS && othersCouldRun(turn, looks >= MANY_LOOKS);
    }

    /**
     * Whether a thread waits, or is in native code of the JDK. Who computes has not stopped. Who waits
     * for another thread to initialise a class looks as if it did; {@code initialises} says that
     * there is such a thread, and that nobody computes.
     */
    private static boolean hasStopped(Thread thread, StackTraceElement[] stack, boolean initialises) {
        if (stack.length == 0 || inScheduler(stack)) {
            // On its way from or to another thread.
            return false;
        }
        switch (thread.getState()) {
            case RUNNABLE:
                return stack[0].isNativeMethod() || initialises;
            case BLOCKED:
            case WAITING:
                return true;
            default:
                return false;
        }
    }

    private static boolean othersInitialise(Turn running) {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn != null && turn != running && turn.state != Turn.DEAD && turn.initialising > 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean inScheduler(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (name.startsWith(PACKAGE) && !calls(name.substring(PACKAGE.length()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean calls(String name) {
        for (String calling : CALLING) {
            if (name.startsWith(calling)) {
                return true;
            }
        }
        return false;
    }

    /** Whether others could; with {@code waiting}, whether there are others that wait. */
    static boolean othersCouldRun(Turn running, boolean waiting) {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn == null || turn == running) {
                continue;
            }
            switch (turn.state) {
                case Turn.READY:
                case Turn.SLEEPING:
                    return true;
                case Turn.OUTSIDE:
                    Waiting outside = turn.waiting;
                    if (outside != null && outside.isOver()) {
                        return true;
                    }
                    // Falls through.
                case Turn.WAITING:
                case Turn.PARKED:
                case Turn.MONITOR:
                    if (waiting && Engine.policy != null && !Engine.policy.looksOutside()) {
                        return true;
                    }
                    break;
                default:
            }
        }
        return false;
    }

    private static String call(StackTraceElement[] stack) {
        return stack[0].getClassName() + "." + stack[0].getMethodName();
    }
}
