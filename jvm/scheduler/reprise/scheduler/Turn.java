package reprise.scheduler;

/** A thread of the program: where it is in its life, and whether it may run. */
final class Turn {
    /** Created, and not started. */
    static final int NEW = 0;
    /** Runs, or would if it were its turn. */
    static final int READY = 1;
    /** Wants a monitor that another thread has. */
    static final int MONITOR = 2;
    /** In {@code Object.wait}, and nobody has notified it. */
    static final int WAITING = 3;
    /** In {@code LockSupport.park}, and nobody has unparked it. */
    static final int PARKED = 4;
    /** In {@code Thread.sleep}. */
    static final int SLEEPING = 5;
    static final int DEAD = 6;
    /** Waits for something outside of the program. */
    static final int OUTSIDE = 7;

    /** No bytecode of the program that is known. */
    static final int NOWHERE = -1;

    final Thread thread;
    /** Who does in its place what a virtual thread has to do in the end; null for nobody. */
    Thread proxy;
    /** In the order of creation; main is 0. */
    final int number;
    /** Which child of which: 0.2.1. */
    final String descent;
    /** In which run of the program. */
    final int run;
    int children;

    volatile int state = NEW;
    /** The monitor that is wanted or waited on. */
    Object on;
    /** When its wait ends by itself, in nanoseconds of the clock; 0 for never. */
    long deadline;
    /** Whether it was unparked and has not parked since. */
    boolean permit;
    /** It will throw InterruptedException when it goes on. */
    boolean throwing;
    /** Its interrupted flag, while it is not running. */
    boolean flag;
    /** It waited until its time ran out. */
    boolean timedOut;
    /** The bytecode that it is about to execute or executes. */
    int site = NOWHERE;
    /** How often it has been reached since the last event. */
    long attempt;
    /** How many places it has come to at which it could be stopped. */
    long steps;
    /** What it is given that it read in another run; null for nothing. */
    Given given;
    /** How many references it has asked for what they refer to. */
    long references;
    /** The same of queues of references, and how many references it has made that have a queue. */
    long polls;
    int made;
    /** It makes a reference, and asks one. */
    boolean makes;
    boolean makesTable;
    boolean asksReference;
    /** What a selector in which it waits is to find; null if nothing is said of that. */
    long[] found;
    /** The hashes that it has written down lately. */
    private Noted known;
    /** It finds out something about a hash. */
    boolean looks;
    /** It asks a clock of the JDK. */
    boolean asks;
    /** It reads in pieces what it is to read at once, and how much that was in the end. */
    boolean reading;
    /** It has begun to, and the rest is a part of the same. */
    boolean again;
    int count;
    /** How much it reads is to be noted. */
    boolean notes;
    /** It has come to the attempt at which the schedule wants it to block. */
    boolean marked;
    /** Its end is what the schedule waits for. */
    boolean dying;
    /** It has left the last method of the program. */
    boolean exiting;
    /** Class initialisers that it is in: others may wait for them invisibly. */
    int initialising;
    /** Class loaders of the program that it is in. */
    int loading;
    /**
     * It looks whether something has come from outside. Who brings that is no thread of the program,
     * and may have the lock that is needed for it.
     */
    volatile boolean looksOutside;
    /** A thread whose end has to be awaited before this one goes on. */
    Thread after;
    /** What it waits for outside; null for nothing. */
    volatile Waiting waiting;
    /** How many bytes have been written for it. */
    int written;
    /** It has taken the turn when nobody had it. */
    boolean taken;
    /** For strategies. */
    long priority;
    /** The element whose turn it has to wait for; negative for none. */
    int gate = -1;
    /** Where it has last acquired something by a call of the JDK. */
    int acquired = NOWHERE;
    /** It has its turn there as soon as it goes on, and not only when it has got something. */
    boolean passes;

    private volatile boolean granted;
    /** Somebody is about to, and needs the monitor that the thread waits in. */
    private volatile boolean granting;
    /** The monitor in whose wait set the thread really is. */
    private volatile Object really;

    Turn(Thread thread, int number, String descent, int run) {
        this.run = run;
        this.thread = thread;
        this.number = number;
        this.descent = descent;
    }

    /** Lets it run. */
    void grant() {
        Object monitor = really;
        if (monitor == null) {
            granted = true;
            Really.unpark(thread);
            return;
        }
        granting = true;
        granted = true;
        synchronized (monitor) {
            granting = false;
            // Others that wait there look, see that they are not meant, and wait on.
            monitor.notifyAll();
        }
    }

    boolean isGranted() {
        return granted;
    }

    /** Called by the thread itself: it will wait in this monitor, which it has. */
    void enters(Object monitor) {
        really = monitor;
    }

    /** Called by the thread itself: waits until it is granted. */
    void await() {
        Object monitor = really;
        // Who grants it needs the monitor for that, and may be at its end, which this one waits for.
        while (!granted || granting) {
            if (monitor == null) {
                Really.park(false, 0L);
                // A thread that is interrupted would not park again.
                Thread.interrupted();
            } else {
                try {
                    monitor.wait();
                } catch (InterruptedException interrupted) {
                    // What an interrupt means is decided by who interrupts.
                }
            }
        }
        granted = false;
        really = null;
    }

    /** Whether the thread may be inside that monitor only to look whether it is meant. */
    boolean looksInto(Object monitor) {
        return really == monitor;
    }

    /** Whether it has not lately come by this hash. */
    boolean isNew(int kind, int hash) {
        if (known == null) {
            known = new Noted();
        }
        return known.isNew(kind, hash);
    }

    @Override
    public String toString() {
        return "thread " + number;
    }
}
