package reprise.scheduler;

/**
 * What class loaders of the program call: they answer themselves when they are asked for the scheduler, and
 * say when they are asked for anything else.
 *
 * The JVM asks them whenever a thread is the first to come to a bytecode that names a class, and asks no
 * second one. Who is the first is decided within the JVM, and nobody is told. So what a loader does while it
 * loads counts as little as what the JVM does: it is no place of a schedule, and it reads nothing that
 * is given back in a replay.
 */
public final class Loading {
    private static final String PACKAGE = "reprise.scheduler.";

    private Loading() {}

    public static boolean isOwn(String name) {
        return name != null && name.startsWith(PACKAGE);
    }

    public static Class<?> own(String name) throws ClassNotFoundException {
        return Class.forName(name, false, null);
    }

    /** A class loader begins to look for a class. */
    public static void loads() {
        if (Free.on || Share.on) {
            FreeThread me = FreeTable.of(Thread.currentThread());
            if (me != null) {
                me.loads();
            }
            return;
        }
        Turn me = Engine.mine();
        if (me != null) {
            me.loading++;
        }
    }

    /** It has found one, or not. */
    public static void loaded() {
        if (Free.on || Share.on) {
            FreeThread me = FreeTable.of(Thread.currentThread());
            if (me != null) {
                me.loaded();
            }
            return;
        }
        Turn me = Engine.mine();
        if (me != null && me.loading > 0) {
            me.loading--;
        }
    }
}
