package reprise.scheduler;

/**
 * Processes whose end somebody wants to be told of by {@code Process.onExit}. A thread of the
 * JDK that is not scheduled says so, and wakes whoever waits for it.
 */
public final class Exits {
    /** So long after the end of a process somebody may still be told, in nanoseconds. */
    private static final long TELLING = 2_000_000_000;

    private static final class Watched {
        final Process process;
        /** When it was seen that it had ended; 0 for not yet. */
        long gone;

        Watched(Process process) {
            this.process = process;
        }
    }

    private static volatile Watched[] all = {};

    private Exits() {}

    /** Somebody wants to be told. */
    public static void watches(Object process) {
        if (Engine.mine() != null) {
            Watched[] more = java.util.Arrays.copyOf(all, all.length + 1);
            more[all.length] = new Watched((Process) process);
            all = more;
        }
    }

    /** Whether a thread that waits may be woken by the end of a process. */
    static boolean mayWake() {
        for (Watched watched : all) {
            if (watched.gone == 0 && !watched.process.isAlive()) {
                watched.gone = Clock.in(0, 0);
            }
            if (watched.gone == 0 || System.nanoTime() - watched.gone < TELLING) {
                return true;
            }
        }
        return false;
    }

    /** Waits until the thread was unparked, its time has run out, or no process can wake it. */
    static void await(Turn turn) {
        while (!turn.permit && !turn.flag && turn.state == Turn.PARKED && mayWake()
                && (turn.deadline == 0 || turn.deadline - System.nanoTime() > 0)) {
            Clock.await(Clock.in(1, 0));
        }
    }
}
