package reprise.scheduler;

import java.util.Arrays;

/** Who could go on, of the threads that a strategy chooses from. */
final class Ready {
    /** Who has waited so much longer than it wanted goes on although others could, in nanoseconds. */
    private static final long OVERDUE = 100_000_000;

    /** So many threads wait for one another in a row, at most, before somebody goes on. */
    private static final int FAR = 64;

    /** As many as {@link #collect} says. */
    Turn[] turns = new Turn[16];

    /** Collects them; returns how many. */
    int collect() {
        int count = 0;
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (is(turn) || isOverdue(turn)) {
                if (count == turns.length) {
                    turns = Arrays.copyOf(turns, 2 * count);
                }
                turns[count++] = turn;
            }
        }
        Turn first = initialising();
        if (first != null) {
            turns[0] = first;
            return 1;
        }
        return count;
    }

    /**
     * Who has to go on so that a class gets initialised: the thread that does it, or who has the
     * monitor that it needs. Others who come to the class would wait for it with the turn, and
     * nobody would see that. Null if nobody has to, or who has to waits for something else.
     */
    private static Turn initialising() {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.initialising == 0) {
                continue;
            }
            for (int far = 0; turn != null && turn.state == Turn.MONITOR && !is(turn) && far < FAR; far++) {
                Thread owner = Native.owner(turn.on);
                turn = owner == null ? null : Engine.of(owner);
            }
            if (turn != null && (turn.state == Turn.READY || turn.state == Turn.MONITOR) && is(turn)) {
                return turn;
            }
        }
        return null;
    }

    /** Whether a thread could go on. */
    static boolean is(Turn turn) {
        switch (turn.state) {
            case Turn.OUTSIDE:
                return isBack(turn);
            case Turn.READY:
            case Turn.SLEEPING:
                return true;
            case Turn.MONITOR:
                Turn owner = Owners.of(turn.on);
                return owner == null ? isFree(turn.on) : owner == turn;
            default:
                return false;
        }
    }

    /** Whether what a thread waited for outside has come, or its time has run out. */
    private static boolean isBack(Turn turn) {
        Waiting waiting = turn.waiting;
        boolean late = turn.deadline != 0 && turn.deadline - System.nanoTime() <= 0;
        if (late || waiting != null && waiting.isOver()) {
            turn.timedOut = late;
            turn.state = Turn.READY;
            return true;
        }
        return false;
    }

    /** A wait runs out when nobody else can go on; but others may go on for ever, looking for who waits. */
    private static boolean isOverdue(Turn turn) {
        // The time first: who has a monitor is asked of the JVM, which stops all threads for that.
        return turn.deadline != 0 && System.nanoTime() - turn.deadline > OVERDUE && canTimeOut(turn);
    }

    /** Whether the time of any thread has run out. */
    static boolean isAnyLate() {
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            if (turn.deadline != 0 && turn.deadline - System.nanoTime() <= 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a thread is where it goes on by itself some time, and could do so. */
    static boolean canTimeOut(Turn turn) {
        switch (turn.state) {
            case Turn.PARKED:
                return true;
            case Turn.WAITING:
                return isFree(turn.on);
            default:
                return false;
        }
    }

    /** Whether no thread has the monitor, but to look whether it is meant. */
    static boolean isFree(Object monitor) {
        Thread thread = Native.owner(monitor);
        Turn owner = thread == null ? null : Engine.of(thread);
        return thread == null || owner != null && owner.looksInto(monitor);
    }

    /** The thread was chosen: if it waits for something, that is because its time has run out. */
    static Turn chosen(Turn turn) {
        if (turn != null && (turn.state == Turn.PARKED || turn.state == Turn.WAITING)) {
            turn.timedOut = true;
        }
        return turn;
    }

    /**
     * Nobody can run: the first whose time runs out goes on. Null if there is none. Who then
     * needs a monitor that another has waits for that, and who has it may be the next.
     */
    static Turn timeout() {
        for (;;) {
            Turn first = null;
            for (int number = 0; number < Engine.count(); number++) {
                Turn turn = Engine.turn(number);
                boolean waits = turn.state == Turn.WAITING || turn.state == Turn.PARKED;
                if (waits && turn.deadline != 0
                        && (first == null || turn.deadline - first.deadline < 0)) {
                    first = turn;
                }
            }
            if (first == null) {
                return null;
            }
            Clock.await(first.deadline);
            first.timedOut = true;
            if (canTimeOut(first)) {
                return first;
            }
            first.state = Turn.MONITOR;
            first.deadline = 0;
        }
    }

    /** Whether there are threads, and none of them could go on. */
    static boolean areStuck() {
        boolean any = false;
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            switch (turn.state) {
                case Turn.NEW:
                case Turn.DEAD:
                    continue;
                case Turn.WAITING:
                case Turn.PARKED:
                    if (turn.deadline != 0) {
                        return false;
                    }
                    break;
                case Turn.MONITOR:
                    if (turn.on == null || Native.owner(turn.on) == null) {
                        return false;
                    }
                    break;
                default:
                    return false;
            }
            any |= !turn.thread.isDaemon();
        }
        return any;
    }
}
