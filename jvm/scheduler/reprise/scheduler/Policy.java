package reprise.scheduler;

/**
 * Who runs next. All methods are called by the thread whose turn it is, so there is
 * one call at a time.
 */
abstract class Policy {
    /** The thread is about to execute the bytecode at a site. */
    abstract void before(Turn me, int site);

    /** The thread begins a call that may block. */
    abstract void calls(Turn me, int site);

    /** The call has come back. */
    void called(Turn me) {}

    /**
     * The thread has blocked: its state says how. Returns who goes on: the thread
     * itself if it need not wait after all.
     */
    abstract Turn blocked(Turn me);

    /** The thread goes on after others have run. */
    void resumed(Turn me) {}

    /** The thread has ended. Returns who goes on; null for nobody. */
    abstract Turn ended(Turn me);

    /** Which of the threads that wait on a monitor is notified; null for none. */
    abstract Turn notified(Turn me, Object monitor);

    /**
     * The thread has not got a monitor that another one has, in code that says
     * nothing of monitors. Returns who goes on.
     */
    abstract Turn contended(Turn me, Object monitor, Turn owner);

    /** A thread is about to be interrupted that has been notified or has timed out. */
    void interrupts(Turn me, Turn other) {}

    /** The thread has entered a monitor, or a call has returned that may block. */
    void acquired(Turn me) {}

    /** The thread comes to a call that may have to wait for something outside. */
    void outside(Turn me) {}

    /** Whether it has to give way there. */
    abstract boolean leaves(Turn me, Waiting waiting);

    /** Whether who waits for something outside goes on by itself when that has come. */
    boolean looksOutside() {
        return false;
    }

    /** Nobody could go on when the thread left, and now somebody can. Returns who does. */
    Turn again(Turn me) {
        throw new IllegalStateException();
    }

    /** Nobody had the turn, and this thread has taken it. */
    void taken(Turn me) {}

    /** The thread has had the turn for long, and is in a call that does not return. */
    IllegalStateException stopped(Turn turn, String where) {
        return Ending.end(turn, "refused", "thread " + turn.number + " (" + turn.thread.getName()
                + ") waits for something that is not scheduled, in " + where
                + ", while other threads wait for their turn");
    }

    /** Changes with each step towards the end of what is followed, of which there are finitely many. */
    long progress() {
        return System.nanoTime();
    }

    /** The thread has run for so many seconds and {@link #progress} has not changed: what is said. */
    String spins(Turn turn, int seconds) {
        throw new IllegalStateException();
    }

    /** That was too long. */
    void spun(Turn turn, int seconds) {
        throw new IllegalStateException();
    }

    /** An exception was not caught. */
    void failed() {}

    /** The thread offers its turn to others. */
    void yields(Turn me) {}

    /** The thread that calls would end the JVM: only daemons are left. */
    void awaitDaemons() {}

    /** The JVM is about to end. */
    abstract void finish();
}
