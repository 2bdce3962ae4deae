package reprise.scheduler;

import java.util.HashMap;
import java.util.Map;

/**
 * One thread of the program runs at a time: the one that has the turn. A thread gives
 * it away where the {@link Policy} says so and where it blocks; then it waits until
 * it gets it back. No thread of ours does this: each does it for itself.
 *
 * Threads that the JVM and the JDK have for themselves never have the turn, and
 * whatever they call here does what it would have done without.
 */
final class Engine {
    /** Guards the table of threads, which others than the running one may look at. */
    static final Object TABLE = new Object();

    /** By the number that the JVM has given a thread: to hash the thread itself would be seen. */
    private static final Map<Long, Turn> TURNS = new HashMap<>();
    private static Turn[] all = new Turn[16];
    private static int count;
    /** Which run of the program it is, in a JVM that has several. */
    private static int run;

    /** Has the turn while all wait, and some of them for something outside. */
    static final Turn NOBODY = new Turn(null, -1, "", -1);

    /** Whose turn it is; null when the scheduler has no say. */
    static volatile Turn running;
    static Policy policy;
    /** Nobody goes on any more: the JVM is about to be ended. */
    static volatile boolean frozen;

    private Engine() {}

    /** The thread that calls has the turn from now on: it is the main thread. */
    static void begin(Policy chosen) {
        policy = chosen;
        Really.prepare(true);
        Outside.prepare();
        Hashes.prepare();
        Turn main = add(Thread.currentThread(), "0");
        main.state = Turn.READY;
        running = main;
        Values.begun(main);
        Chance.begin();
    }

    /** The turn of the calling thread; null if it has not got it. */
    static Turn mine() {
        Turn turn = running;
        if (turn == null || frozen) {
            return null;
        }
        Thread now = Thread.currentThread();
        return turn.thread == now || turn.proxy == now ? turn : null;
    }

    /** The same, if what the thread does counts: while it loads a class, it does not ({@link Loading}). */
    static Turn counted() {
        Turn me = mine();
        return me == null || me.loading > 0 ? null : me;
    }

    /** How many threads there have been. */
    static int count() {
        return count;
    }

    static Turn turn(int number) {
        return number < count ? all[number] : null;
    }

    /** The turn of a thread of the program; null for other threads. */
    static Turn of(Thread thread) {
        synchronized (TABLE) {
            Turn turn = TURNS.get(FreeTable.tid(thread));
            // In a replay a thread of the JDK may have the number of one of the program.
            return turn == null || turn.run != run || turn.thread != thread ? null : turn;
        }
    }

    /** A thread is no thread of the program any more. */
    static void forget(Thread thread) {
        synchronized (TABLE) {
            TURNS.remove(FreeTable.tid(thread));
        }
    }

    /** Another run of the program begins. Threads of others stay where they are. */
    static void reset() {
        synchronized (TABLE) {
            run++;
            all = new Turn[16];
            count = 0;
            running = null;
            frozen = false;
        }
        Owners.reset();
        Values.reset();
    }

    /** Threads of runs that have ended, which wait for their turn for ever. */
    static int left() {
        synchronized (TABLE) {
            return TURNS.size();
        }
    }

    /** Whether a thread belongs to a run that has ended. */
    static boolean isLeft(Thread thread) {
        synchronized (TABLE) {
            Turn turn = TURNS.get(FreeTable.tid(thread));
            return turn != null && turn.run != run;
        }
    }

    static Turn add(Thread thread, String descent) {
        synchronized (TABLE) {
            Turn turn = new Turn(thread, count, descent, run);
            if (count == all.length) {
                all = java.util.Arrays.copyOf(all, 2 * count);
            }
            all[count++] = turn;
            TURNS.put(FreeTable.tid(thread), turn);
            return turn;
        }
    }

    /** Gives the turn to another, and waits until it comes back. */
    static void yieldTo(Turn me, Turn next) {
        if (next == me) {
            return;
        }
        // While others run it is ours: a parked thread would not stay parked with it.
        me.flag |= Thread.interrupted();
        NOBODY.after = null;
        pass(me, next);
        me.await();
        resume(me);
    }

    /** The calling thread belongs to a run that has ended, and goes no further. */
    static void stay() {
        for (;;) {
            Really.park(false, 0L);
            Thread.interrupted();
        }
    }

    /** Gives the turn away. */
    static void pass(Turn me, Turn chosen) {
        Turn next = chosen;
        while (next == NOBODY) {
            synchronized (TABLE) {
                if (!isAnyReady()) {
                    running = NOBODY;
                    return;
                }
            }
            next = policy.again(me);
            next.after = NOBODY.after;
        }
        running = next;
        next.grant();
    }

    /** Whether a thread could go on. */
    static boolean isAnyReady() {
        for (int number = 0; number < count; number++) {
            if (all[number].state == Turn.READY) {
                return true;
            }
        }
        return false;
    }

    /** Whether threads wait for something outside. */
    static boolean isAnyOutside() {
        for (int number = 0; number < count; number++) {
            if (all[number].state == Turn.OUTSIDE) {
                return true;
            }
        }
        return false;
    }

    /** Whether anybody goes on by itself some time. */
    static boolean isAnyTimed() {
        for (int number = 0; number < count; number++) {
            if (all[number].deadline != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether another thread lives. */
    static boolean hasOthers(Turn me) {
        for (int number = 0; number < count; number++) {
            Turn turn = all[number];
            if (turn != me && turn.state != Turn.DEAD && turn.state != Turn.NEW) {
                return true;
            }
        }
        return false;
    }

    /** Whether only such threads live as a JVM does not wait for. */
    static boolean areDaemons() {
        for (int number = 0; number < count; number++) {
            Turn turn = all[number];
            if (turn.state != Turn.DEAD && turn.state != Turn.NEW && !turn.thread.isDaemon()) {
                return false;
            }
        }
        return true;
    }

    /** A thread that does not run can go on, and does if nobody has the turn. */
    static void ready(Turn turn) {
        boolean takes;
        synchronized (TABLE) {
            turn.state = Turn.READY;
            takes = running == NOBODY;
            if (takes) {
                turn.taken = true;
                running = turn;
            }
        }
        if (takes) {
            turn.grant();
        }
    }

    static void resume(Turn me) {
        if (me.taken) {
            me.taken = false;
            me.after = NOBODY.after;
            if (running == me) {
                policy.taken(me);
            }
        }
        if (me.after != null) {
            Life.awaitEnd(me.after);
            me.after = null;
        }
        Thread.interrupted();
        if (me.flag) {
            me.flag = false;
            me.thread.interrupt();
        }
        if (running == me) {
            policy.resumed(me);
        }
    }

    /**
     * The calling thread blocks, as {@code state} says, until the policy lets it go on.
     */
    static void block(Turn me, int state, Object on, long deadline) {
        me.state = state;
        me.on = on;
        me.deadline = deadline;
        me.timedOut = false;
        Turn next = policy.blocked(me);
        if (next != me) {
            yieldTo(me, next);
        }
        me.state = Turn.READY;
        me.on = null;
        me.deadline = 0;
        me.timedOut = false;
    }

    /** The calling thread finds a monitor taken by a thread that waits for its turn. */
    static void contended(Turn me, Object monitor, Turn owner) {
        me.state = Turn.MONITOR;
        me.on = monitor;
        yieldTo(me, policy.contended(me, monitor, owner));
        me.state = Turn.READY;
        me.on = null;
    }

    /**
     * All threads go on, and nobody waits for a turn any more. Who waits or is parked
     * wakes with no reason, as that may always happen.
     */
    static void release() {
        Turn last = running;
        running = null;
        for (int number = 0; number < count; number++) {
            Turn turn = all[number];
            if (turn != last && turn.state != Turn.DEAD) {
                turn.grant();
            }
        }
    }

    /** A thread is being interrupted: what that means depends on where it is. */
    static void interrupting(Thread thread) {
        Turn me = mine();
        Turn other = me == null ? null : of(thread);
        if (other == null || other == me || other.state == Turn.NEW) {
            return;
        }
        switch (other.state) {
            case Turn.WAITING:
            case Turn.SLEEPING:
                if (other.timedOut) {
                    other.flag = true;
                    break;
                }
                other.throwing = true;
                other.state = other.state == Turn.WAITING ? Turn.MONITOR : Turn.READY;
                break;
            case Turn.PARKED:
                other.flag = true;
                other.state = Turn.READY;
                break;
            case Turn.OUTSIDE:
                other.flag = true;
                Waiting waiting = other.waiting;
                if (waiting != null && waiting.interruptible) {
                    waiting.ended = true;
                }
                break;
            default:
                if (other.state == Turn.MONITOR) {
                    policy.interrupts(me, other);
                }
                other.flag = true;
        }
    }
}
