package reprise.scheduler;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/** A thread that runs freely: how far it has come, what it has, and whom it comes after. */
final class FreeThread extends FreeLog {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final int PARKS = -2;
    static final int WAITS = -1;

    private static final long TOLD = U.objectFieldOffset(FreeThread.class, "told");
    private static final long INSIDE = U.objectFieldOffset(FreeThread.class, "inside");
    /** A word has the thread above so many bits for the step. */
    private static final int STEPS = 43;

    final long tid;
    /** Null once it has ended. */
    private volatile Thread thread;
    int children;
    /** How many methods that the JDK may have called it is in. */
    int depth;
    int initialising;
    /** Class loaders of the program that it is in. */
    int loading;
    /** How many times a class had been initialised when it last looked. */
    int initialised;
    /** The call of the JDK that it is in; negative for none. */
    int site = -1;
    /** The thread whose end it may wait for in that call. */
    Thread joins;
    /** The stripe that it has; 0 for none. */
    long held;
    /** What it leaves there; 0 for its own word. */
    long leaves;
    /** What it found there: who was last, and behind it who had read since. */
    final long[] found = new long[Stripes.READING + 1];
    /** Whether there are any of those. */
    boolean readers;
    /** The stripe that it has given up while it waits for a monitor; 0 for none. */
    long contends;
    /** It has gone on with the stripe that it has, after others had it. */
    boolean continues;
    /** It waits for something outside. */
    private boolean outside;
    /** It looks whether something has come from outside. */
    boolean looksOutside;
    /** It has blocked, or waits for something outside. */
    volatile boolean isAway;
    /** The stripe that it has given up for that; 0 for none. */
    private long aside;
    /** Until when; 0 for ever. */
    private long deadline;
    /** The stripes that it has given up for as long as the JDK calls the program back. */
    final Suspended suspended = new Suspended();
    /** With a share: the element that it is at, by its address; 0 for none. */
    long inside;
    /** With a share: it waits for an element. */
    volatile boolean waits;
    /** How many orders are not written down. */
    int lost;
    /** Who has started it. */
    long starter;
    /** Whether it has ended, and which step that was. */
    volatile boolean exited;
    long exit;
    /** The JVM ends, and this is not at its end: it has come to its last place. */
    private volatile boolean isCutOff;
    /** Its last step that an ended thread comes after, or any one when the JVM ends. */
    private long followed;
    /**
     * Who was the last to wake or interrupt it, or itself since. The sign: it was unparked and has
     * not parked since.
     */
    private volatile long told;

    private long steps;
    /** Whom it is known to come after. */
    private Seen seen = new Seen();
    /** It finds out something about a hash. */
    boolean looks;
    /** It asks a clock of the JDK. */
    boolean asks;
    /** It reads something whose amount is noted. */
    boolean reading;
    /** How many references it has asked for what they refer to. */
    long references;
    /** The same of queues of references, and how many references it has made that have a queue. */
    long polls;
    int made;
    /** It makes a reference, and asks one. */
    boolean makes;
    boolean makesTable;
    boolean asksReference;

    FreeThread(Thread thread, int number, String descent) {
        super(number, descent);
        this.thread = thread;
        this.tid = FreeTable.tid(thread);
    }

    static FreeThread current() {
        return FreeTable.own(Thread.currentThread());
    }

    /** Whether it runs, or could. */
    boolean runs() {
        Thread running = thread;
        return running != null && running.getState() == Thread.State.RUNNABLE;
    }

    /** The thread of a word. */
    static int of(long word) {
        return (int) (word >>> STEPS) & (1 << 20) - 1;
    }

    /** The step of a word. */
    private static long step(long word) {
        return word & (1L << STEPS) - 1;
    }

    /** Who it is and how far it has come; 0 is nobody's. */
    long word() {
        return (long) number << STEPS | steps;
    }

    /** It is at no element any more. What it did there is done. */
    void isOutside() {
        U.putLongRelease(this, INSIDE, 0);
    }

    /** Whether it is at an element; asked by other threads. */
    boolean isAt(long element) {
        return U.getLongVolatile(this, INSIDE) == element;
    }

    /** Leaves the stripe that it has. */
    void leave() {
        if (held != 0) {
            continues = false;
            Stripes.leave(this);
        }
    }

    /** Gives up what it has until {@link #again}: the JDK calls the program. */
    void suspend() {
        if (held != 0) {
            suspended.add(depth, held);
            leave();
        }
    }

    /** The call is over. */
    void again() {
        long stripe = suspended.of(depth);
        if (stripe != 0) {
            // Whoever has it meanwhile still sees that this one has given it up.
            goesOn(stripe);
            suspended.remove();
        }
    }

    /** Takes a stripe that it had, after others may have had it. */
    void goesOn(long stripe) {
        Stripes.again(this, stripe);
        continues = held != 0;
    }

    /**
     * Begins with a task of a pool, which may take long and call nobody: others may come to what
     * this one has meanwhile.
     */
    void begins() {
        long stripe = held;
        leave();
        comesTo(TASK);
        goesOn(stripe);
    }

    /** Comes to a place. */
    @DontInline
    void comesTo(int place) {
        int entry = (initialising > 0 ? NO_STOP : PLACE) | place;
        if (outside) {
            returns(true);
        }
        int now = Initialised.count;
        if (now != initialised) {
            if (CutOff.on) {
                cutOff(entry);
                return;
            }
            Initialised.notice(this, now);
        }
        steps++;
        place(entry);
    }

    /** Comes to a place when the JVM ends, which is its last if it can be made to stop there. */
    @DontInline
    private void cutOff(int entry) {
        if (!isCutOff) {
            next(entry);
            if (initialising == 0) {
                // Who sees what it does from now on comes after all before that place.
                steps--;
                finish();
                isCutOff = true;
            }
        }
    }

    /** Takes a step that is no place, or the last one. */
    private void next(int entry) {
        if (!isCutOff) {
            steps++;
            step(entry);
        }
    }

    /** Tells those that it comes after up to where; called with the table locked. */
    void tellFollowed() {
        for (long word : seen.words()) {
            FreeThread other = FreeTable.numbered(of(word));
            if (other != null) {
                other.followed = Math.max(other.followed, step(word));
            }
        }
    }

    /**
     * Whether somebody comes after its last step that is written down, and it runs. One that has never come
     * to a place may never do so.
     */
    boolean isAwaited() {
        return followed > 0 && steps - unwritten() <= followed && !(isCutOff || exited || isAway || full);
    }

    /** Blocks there. */
    void blocks(int place) {
        returns(true);
        next(BLOCKS | place + 2);
        isAway = true;
        tell(word(), false);
    }

    /**
     * Whether it has to wait until it is unparked; if not, it follows who has done that. With
     * {@code as}, who unparks it comes after that.
     */
    boolean parks(long as) {
        for (;;) {
            long now = told;
            if (now < 0) {
                if (U.compareAndSetLong(this, TOLD, now, now & Long.MAX_VALUE)) {
                    follows(now);
                    return false;
                }
            } else if (U.compareAndSetLong(this, TOLD, now, as)) {
                return true;
            }
        }
    }

    /**
     * Comes to where it may have to wait for something outside, and has to if {@code waits}, for
     * so many milliseconds at most; 0 is for ever.
     */
    @DontInline
    void outside(boolean waits, int millis) {
        returns(true);
        if (!isCutOff) {
            steps++;
            // Where it waits it stops as well.
            place((waits || initialising > 0 ? NO_STOP : PLACE) | OUTSIDE);
        }
        if (waits) {
            next(LEAVES);
            aside = held;
            leave();
            deadline = millis > 0 ? Clock.in(millis, 0) : 0;
            outside = true;
            isAway = true;
        }
    }

    /** Whether it waits for something outside, or looks whether that has come. */
    boolean waitsOutside() {
        return outside || looksOutside;
    }

    /** Comes back from there, if it was there; with an exception, as when its time has run out. */
    void returns(boolean threw) {
        if (outside) {
            outside = false;
            resumes(threw && deadline != 0 && deadline - System.nanoTime() <= 0);
            goesOn(aside);
            // Also of an end: somebody may have closed it.
            Wires.follow(this);
        }
    }

    /** Needs a monitor of the JDK that another thread has, which has called the program. */
    void contends() {
        next(CONTENDS);
        isAway = true;
    }

    void resumes(boolean late) {
        next(RESUMES | (late ? 1 : 0));
        isAway = false;
    }

    void exits() {
        returns(true);
        next(EXITS);
        exit = word();
        exited = true;
        thread = null;
        finish();
        FreeTable.tellFollowed(this);
        seen = Seen.NOBODY;
    }

    /** Its last step comes after that of another thread. */
    void follows(long word) {
        int other = of(word);
        if (other != number && other != 0) {
            followsOther(word);
        }
    }

    @DontInline
    private void followsOther(long word) {
        if (!full && !seen.has(word)) {
            seen.add(word);
            order(FOLLOWS | of(word), step(word));
        }
    }

    /** The same, where threads need not wait for one another then. */
    void shouldFollow(long word) {
        int other = of(word);
        if (other != number && other != 0 && !full && !seen.has(word)) {
            order(SHOULD_FOLLOW | other, step(word));
        }
    }

    /** Somebody wakes or interrupts it. Returns who was the last. */
    long tell(long word, boolean permit) {
        for (;;) {
            long now = told;
            long sign = permit ? Long.MIN_VALUE : now & Long.MIN_VALUE;
            if (U.compareAndSetLong(this, TOLD, now, word | sign)) {
                return now & Long.MAX_VALUE;
            }
        }
    }

    /** It begins to load a class. */
    void loads() {
        if (loading++ == 0) {
            FreeTable.hide(this);
        }
    }

    /** It has. */
    void loaded() {
        if (loading > 0 && --loading == 0) {
            FreeTable.show(this);
        }
    }

    long told() {
        return told & Long.MAX_VALUE;
    }

    /** Whether it was unparked since it parked. */
    boolean takesPermit() {
        for (;;) {
            long now = told;
            if (now >= 0) {
                return false;
            }
            if (U.compareAndSetLong(this, TOLD, now, now & Long.MAX_VALUE)) {
                return true;
            }
        }
    }
}
