package reprise.scheduler;

import jdk.internal.vm.annotation.DontInline;

/**
 * Threads run as they like, and the order in which they synchronise is written down. This is
 * what is inserted into the program for that.
 *
 * Whoever was last at something is remembered ({@link Stripes}). Who comes next and finds
 * another thread there writes that down, and puts itself in its place; between two accesses
 * of one thread nothing is written but where it is.
 *
 * A monitor keeps threads apart by itself. For fields and for calls of the JDK a stripe is
 * locked while the access lasts, so that what is written down is what happened. A thread has
 * one at most, gives it up where it blocks, be it for a monitor of the JDK's own, and while the
 * JDK calls the program back, and waits for one no longer than a moment: then the order is lost,
 * which is counted, and the program goes on.
 *
 * What is inserted is called and not inlined: a JVM that compiles a method of the program would
 * compile all of this with it, at each of its places, and again whenever it finds that something
 * is otherwise than it was. For a program that runs for less than a second that took more of the
 * processors than the calls do.
 */
public final class Free {
    /** Whether threads run freely and are recorded. */
    static volatile boolean on;

    private Free() {}

    /** The calling thread is main, and runs freely like all others. */
    static void begin() {
        FreeThread main = FreeTable.add(Thread.currentThread(), "0");
        main.depth = 1;
        // Now, and not within a probe.
        Synchronised.is(Synchronised.by(main));
        Stripes.enter(main, Stripes.POOLS);
        main.leave();
        Really.prepare(false);
        Hashes.prepare();
        on = true;
        Hashes.on = true;
        Chance.begin();
    }

    /** At a place where a thread can be made to stop. */
    @DontInline
    public static void passes(int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
        }
    }

    /** In a monitor that was just entered. */
    @DontInline
    public static void entered(Object monitor) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            Stripes.entered(me, monitor);
        }
    }

    /** In a synchronized method. */
    @DontInline
    public static Object acquired(Object monitor) {
        entered(monitor);
        return monitor;
    }

    /** Before a monitor is left. */
    @DontInline
    public static void leaves(Object monitor) {
        FreeThread me = FreeThread.current();
        if (me != null && monitor != null) {
            me.leave();
            Stripes.leaves(me, monitor);
        }
    }

    /** Before a field or an element of an array is written. */
    @DontInline
    public static void writes(Object object, int field, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            Stripes.enter(me, Stripes.of(object, field));
        }
    }

    /** Before one is read: who reads need not come after others who read. */
    @DontInline
    public static void reads(Object object, int field, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            Stripes.look(me, Stripes.of(object, field));
        }
    }

    /** After it. */
    @DontInline
    public static void accessed() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
        }
    }

    /** Before a call of the JDK that synchronises by its receiver. */
    @DontInline
    public static void call(Object receiver, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
            Stripes.enter(me, Stripes.of(Synchronised.by(receiver)));
        }
    }

    /** Before one that waits for the end of a thread. */
    @DontInline
    public static void joins(Object receiver, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
            me.joins = (Thread) receiver;
        }
    }

    /** Before one that does it only if its receiver is of a class that does. */
    @DontInline
    public static void perhaps(Object receiver, int site) {
        if (Synchronised.is(receiver)) {
            call(receiver, site);
        } else {
            passes(site);
        }
    }

    /** Before one that has to do with a pool, or with what a pool computes. */
    @DontInline
    public static void pools(int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
            Stripes.enter(me, Stripes.POOLS);
        }
    }

    /** Before one that looks into a table of the JDK's, and calls the program if nothing is there. */
    @DontInline
    public static void tables(int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
            Stripes.enter(me, Stripes.TABLES);
        }
    }

    /** Before something is done with a stream, which pools do where it is parallel. */
    @DontInline
    public static void streams(Object receiver, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
            if (Synchronised.isParallel(receiver)) {
                Stripes.enter(me, Stripes.POOLS);
            }
        }
    }

    /** Before one that runs something, which may be a pool's. */
    @DontInline
    public static void runs(Object receiver, int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            if (Synchronised.is(receiver)) {
                Stripes.enter(me, Stripes.POOLS);
            }
        }
    }

    /** Before one that asks the calling thread something. */
    @DontInline
    public static void asks(int site) {
        call(Thread.currentThread(), site);
    }

    /** Before one that blocks or wakes, and has no receiver. */
    @DontInline
    public static void marks(int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            me.comesTo(site);
            me.site = site;
        }
    }

    /** After any of these. */
    @DontInline
    public static void called() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            Thread thread = me.joins;
            if (thread != null) {
                me.joins = null;
                FreeThread other = FreeTable.of(thread);
                if (other != null && other.exited) {
                    me.follows(other.exit);
                }
            }
            me.leave();
            me.site = -1;
        }
    }

    /** What was thrown has been caught, or leaves a method. */
    @DontInline
    public static void thrown() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.joins = null;
            me.leave();
            me.site = -1;
        }
    }

    /** A method begins that the JDK may have called. */
    @DontInline
    public static void calledBack() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            // It may take long, and others may come to what the JDK has meanwhile.
            me.suspend();
            me.depth++;
        }
    }

    /** It returns. */
    @DontInline
    public static void returns(int site) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.comesTo(site);
            back(me);
        }
    }

    /** It ends with an exception. */
    @DontInline
    public static void unwinds() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.leave();
            back(me);
        }
    }

    private static void back(FreeThread me) {
        me.leave();
        // Should the call of the JDK block now, it has begun before all that was done since: a
        // schedule could not say which attempt it is.
        me.site = -1;
        if (--me.depth == 0) {
            me.suspended.clear();
            Stripes.enter(me, Stripes.POOLS);
        } else {
            // The JDK goes on with what it has called the program from.
            me.again();
        }
    }

    /** A class initialiser begins: others may wait for it, and nobody sees that. */
    public static int initialises() {
        FreeThread me = FreeThread.current();
        if (me != null) {
            me.initialising++;
        }
        return 0;
    }

    @DontInline
    public static void initialised(int nothing) {
        FreeThread me = FreeThread.current();
        if (me != null) {
            if (--me.initialising == 0) {
                Initialised.by(me);
            }
        }
    }
}
