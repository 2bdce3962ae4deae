package reprise.scheduler;

/** When waits end by themselves. Time is real: a timeout comes no earlier than it should. */
final class Clock {
    private Clock() {}

    /** The deadline of a wait that begins now; never 0, which stands for none. */
    static long in(long millis, long nanos) {
        long most = Long.MAX_VALUE / 4;
        long length = millis > most / 1_000_000 ? most : millis * 1_000_000 + nanos;
        long deadline = System.nanoTime() + Math.min(length, most);
        return deadline == 0 ? 1 : deadline;
    }

    /** Waits for a deadline. */
    static void await(long deadline) {
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            try {
                Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
            } catch (InterruptedException interrupted) {
                // Nobody interrupts while the calling thread has the turn.
            }
        }
    }
}
