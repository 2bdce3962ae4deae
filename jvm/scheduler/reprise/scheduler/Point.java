package reprise.scheduler;

/** What is inserted into the classes of a program whose schedule is being chosen. */
public final class Point {
    private Point() {}

    /** Before an access to what other threads may use. */
    public static void access(int site) {
        Turn me = Engine.counted();
        if (me != null) {
            Engine.policy.before(me, site);
        }
    }

    /** Before a call of a method of the program, which may be synchronized. */
    public static void call(int site) {
        Turn me = Engine.counted();
        if (me != null) {
            ((Explorer) Engine.policy).passes(me, site);
        }
    }

    /** Before a call of the JDK that may block. */
    public static void sync(int site) {
        Turn me = Engine.counted();
        if (me != null) {
            Engine.policy.calls(me, site);
        }
    }

    /** After it. */
    public static void synced() {
        Turn me = Engine.mine();
        if (me != null) {
            me.marked = false;
            Engine.policy.acquired(me);
        }
    }

    /** Before a monitor is entered. */
    public static void enter(Object monitor, int site) {
        Turn me = Engine.mine();
        if (me != null && monitor != null) {
            if (me.loading == 0) {
                Engine.policy.before(me, site);
            }
            while (Owners.of(monitor) != null && Owners.of(monitor) != me) {
                Engine.block(me, Turn.MONITOR, monitor, 0);
            }
            Owners.enter(monitor, me, 1);
            Engine.policy.acquired(me);
        }
    }

    /** Before a monitor is left. */
    public static void exit(Object monitor) {
        Turn me = Engine.mine();
        if (me != null && monitor != null) {
            Owners.exit(monitor, me);
        }
    }

    /** In a synchronized method. */
    public static Object acquired(Object monitor) {
        Turn me = Engine.mine();
        if (me != null) {
            Owners.enter(monitor, me, 1);
            Engine.policy.acquired(me);
        }
        return monitor;
    }

    /** A class initialiser begins: others may wait for it, and nobody sees that. */
    public static int initialises() {
        Turn me = Engine.mine();
        if (me != null) {
            me.initialising++;
        }
        return 0;
    }

    public static void initialised(int nothing) {
        Turn me = Engine.mine();
        if (me != null) {
            me.initialising--;
        }
    }
}
