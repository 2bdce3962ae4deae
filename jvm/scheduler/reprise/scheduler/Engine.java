package reprise.scheduler;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

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

    private static final Map<Thread, Turn> TURNS = new IdentityHashMap<>();
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
        Outside.prepare();
        Turn main = add(Thread.currentThread(), "0");
        main.state = Turn.READY;
        running = main;
    }

    /** The turn of the calling thread; null if it has not got it. */
    static Turn mine() {
        Turn turn = running;
        return turn != null && turn.thread == Thread.currentThread() && !frozen ? turn : null;
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
            Turn turn = TURNS.get(thread);
            return turn == null || turn.run != run ? null : turn;
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
            Turn turn = TURNS.get(thread);
            return turn != null && turn.run != run;
        }
    }

    private static Turn add(Thread thread, String descent) {
        synchronized (TABLE) {
            Turn turn = new Turn(thread, count, descent, run);
            if (count == all.length) {
                all = java.util.Arrays.copyOf(all, 2 * count);
            }
            all[count++] = turn;
            TURNS.put(thread, turn);
            return turn;
        }
    }

    /** A thread object has been created. */
    static void created(Thread thread) {
        Turn me = mine();
        if (me != null && of(thread) == null && !isForeign(thread)) {
            if (thread.getClass().getName().contains("VirtualThread")) {
                String place = Ending.place(new Throwable().getStackTrace());
                throw Ending.end(me, "refused", "the program creates a virtual thread"
                        + (place.isEmpty() ? "" : " at " + place)
                        + ", and only platform threads can be scheduled");
            }
            add(thread, me.descent + "." + ++me.children);
            Watch.begin();
        }
    }

    /** What the JVM and the JDK create for themselves is in the topmost group, or says so. */
    static boolean isForeign(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        String type = thread.getClass().getName();
        // The client for HTTP has one of its own, which is a part of what the program does.
        return group == null || group.getParent() == null
                || type.startsWith("jdk.internal.") && !type.startsWith("jdk.internal.net.http.");
    }

    /** A thread is being started, and will wait for its turn. */
    static void starting(Thread thread) {
        Turn turn = of(thread);
        if (Serving.active && turn != null) {
            checkLasting(thread);
        }
        if (turn == null || turn.state != Turn.NEW) {
            return;
        }
        if (mine() != null) {
            turn.state = Turn.READY;
        } else if (running != null && isForeign(Thread.currentThread())) {
            // As the JVM does with what is to run at its end: nobody would give it a turn.
            synchronized (TABLE) {
                turn.state = Turn.DEAD;
                TURNS.remove(thread);
            }
        }
    }

    /** Threads that the JDK keeps for all would be there in the next run as well. */
    private static void checkLasting(Thread thread) {
        boolean common = thread instanceof ForkJoinWorkerThread
                && ((ForkJoinWorkerThread) thread).getPool() == ForkJoinPool.commonPool();
        if (common || thread.getName().startsWith("CompletableFuture")) {
            Serving.unfit("it uses the common pool of the JDK");
        }
    }

    /** The first thing that a new thread does. */
    static void begun() {
        if (isLeft(Thread.currentThread())) {
            stay();
        }
        Turn me = of(Thread.currentThread());
        // Main has begun before anybody could say so.
        if (me != null && me.number != 0 && (running != null || Serving.active)) {
            me.await();
            resume(me);
        }
    }

    /** The last thing that a thread does. */
    static void ended() {
        Turn me = mine();
        // The JVM also says so of the thread that ends the JVM.
        if (me == null || !me.exiting) {
            return;
        }
        me.state = Turn.DEAD;
        for (int number = 0; number < count; number++) {
            Turn other = all[number];
            if (other.state == Turn.WAITING && other.on == me.thread) {
                // The JVM notifies who waits for the end of a thread.
                other.state = Turn.MONITOR;
            }
        }
        Turn next = policy.ended(me);
        synchronized (TABLE) {
            TURNS.remove(me.thread);
        }
        if (next == null) {
            running = null;
            if (Serving.active) {
                Serving.ended();
            }
        } else {
            next.after = me.thread;
            pass(me, next);
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
            jdk.internal.misc.Unsafe.getUnsafe().park(false, 0L);
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

    private static boolean isAnyReady() {
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
            awaitEnd(me.after);
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
     * The JVM needs a moment after the last thing that we see of a thread, and the
     * monitor of its object, which who joins it has. Others may have that monitor for
     * long; then it does not matter when exactly the thread is gone.
     */
    private static void awaitEnd(Thread thread) {
        long deadline = Clock.in(1000, 0);
        while (thread.isAlive() && deadline - System.nanoTime() > 0) {
            if (Thread.holdsLock(thread)) {
                try {
                    thread.wait(1);
                } catch (InterruptedException interrupted) {
                    // What an interrupt means is decided by who interrupts.
                }
            } else {
                Thread.yield();
            }
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
