package reprise.scheduler;

import java.util.Arrays;

/**
 * Looks after the thread that has the turn. What blocks in the JDK goes to the scheduler,
 * but a thread may be in a system call, or in a wait of the JDK that the scheduler does
 * not see, and only another thread could end that: then all would stand still for ever.
 */
final class Watch implements Runnable {
    /** So many looks with nothing changed are enough. */
    private static final int LOOKS = 6;
    private static final long BETWEEN = 1000;

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
        for (;;) {
            try {
                Thread.sleep(BETWEEN);
            } catch (InterruptedException interrupted) {
                continue;
            }
            Turn turn = Engine.running;
            if (turn == null || Engine.frozen) {
                looks = 0;
                continue;
            }
            StackTraceElement[] now = turn.thread.getStackTrace();
            boolean same = turn == before && Arrays.equals(stack, now) && hasStopped(turn.thread, now);
            looks = same ? looks + 1 : 0;
            before = turn;
            stack = now;
            if (looks >= LOOKS && Engine.running == turn && othersCouldRun(turn)) {
                Ending.end(turn, "refused", "thread " + turn.number + " (" + turn.thread.getName()
                        + ") waits for something that is not scheduled, in " + call(now)
                        + place(now) + ", while other threads wait for their turn: threads that meet"
                        + " through files or sockets cannot be scheduled");
            }
        }
    }

    /** Whether a thread waits, or is in native code of the JDK. Who computes has not stopped. */
    private static boolean hasStopped(Thread thread, StackTraceElement[] stack) {
        if (stack.length == 0 || inScheduler(stack)) {
            // On its way from or to another thread.
            return false;
        }
        switch (thread.getState()) {
            case RUNNABLE:
                return stack[0].isNativeMethod();
            case BLOCKED:
            case WAITING:
                return true;
            default:
                return false;
        }
    }

    private static boolean inScheduler(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith("reprise.scheduler.")
                    && !frame.getClassName().startsWith("reprise.scheduler.Serving")) {
                return true;
            }
        }
        return false;
    }

    private static boolean othersCouldRun(Turn running) {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn != null && turn != running
                    && (turn.state == Turn.READY || turn.state == Turn.SLEEPING)) {
                return true;
            }
        }
        return false;
    }

    private static String call(StackTraceElement[] stack) {
        return stack[0].getClassName() + "." + stack[0].getMethodName();
    }

    private static String place(StackTraceElement[] stack) {
        String place = Ending.place(stack);
        return place.isEmpty() ? "" : " from " + place;
    }
}
