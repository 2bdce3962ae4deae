package reprise.scheduler;

/**
 * Sees that the thread that has the turn runs on and on, and the schedule does not. It may compute;
 * or it looks again and again for what only another thread will do, and would do so for ever:
 * no graph of who waits for whom shows that, since it waits for nobody. So this is said soon,
 * and ended only after a time that the user has chosen.
 *
 * What counts are looks, and not the time: a program that is stopped has as much of it as before.
 */
final class Spinning {
    /** After so many looks it is said. */
    private static final int SOON = 10;
    /** So many frames are shown of where the thread is. */
    private static final int FRAMES = 8;

    /** So many looks are too many, one a second; 0 for none. */
    static int patience;

    private Turn turn;
    private long progress;
    private int looks;

    /** Looks at the thread that has the turn, which is there. */
    void look(Turn running, Policy policy, StackTraceElement[] stack) {
        long now = policy.progress();
        if (running != turn || now != progress) {
            turn = running;
            progress = now;
            looks = 0;
            return;
        }
        if (patience == 0 || !runs(running.thread, stack) || !Watch.othersCouldRun(running, true)) {
            return;
        }
        looks++;
        if (looks == Math.min(SOON, patience)) {
            Native.report("now", policy.spins(running, looks) + shown(stack)
                    + "\n  it may compute, or wait in a loop for another thread, which has not got the turn;"
                    + " after " + patience + " s this is a divergence (--patience)");
        }
        if (looks >= patience && Engine.running == running) {
            policy.spun(running, looks);
        }
    }

    /** Whether it runs. In native code it may wait for something outside, if it does not offer its turn. */
    private static boolean runs(Thread thread, StackTraceElement[] stack) {
        return thread.getState() == Thread.State.RUNNABLE && stack.length > 0
                && (!stack[0].isNativeMethod() || stack[0].getClassName().equals("java.lang.Thread"));
    }

    private static String shown(StackTraceElement[] stack) {
        StringBuilder lines = new StringBuilder();
        int frames = 0;
        for (StackTraceElement frame : stack) {
            if (!frame.getClassName().startsWith("reprise.scheduler.") && frames++ < FRAMES) {
                lines.append("\n    at ").append(frame.getClassName()).append('.')
                        .append(frame.getMethodName());
                if (frame.getLineNumber() >= 0) {
                    lines.append('(').append(frame.getFileName()).append(':')
                            .append(frame.getLineNumber()).append(')');
                }
            }
        }
        return lines.toString();
    }
}
