package reprise.scheduler;

/** What the agent calls. */
public final class Scheduler {
    private Scheduler() {}

    /** Follows a schedule. Called by the main thread before its program. */
    public static void follow(String file, int verbosity, int patience) throws java.io.IOException {
        Spinning.patience = patience;
        Script script = new Script(Plan.read(file), verbosity);
        Engine.begin(script);
        script.begin();
    }

    /** Lets a strategy choose who runs; with a file, as far as that goes, what is in it. */
    public static void explore(String strategy, long seed, long steps, String file)
            throws java.io.IOException {
        Strategy chosen;
        if (strategy.equals("merge")) {
            chosen = Merge.read(file);
        } else {
            chosen = file.isEmpty() ? Strategy.of(strategy, seed, steps) : Guide.read(file, seed);
        }
        Values.keep();
        Engine.begin(new Explorer(chosen));
    }

    /** Lets threads run as they like, and writes down in which order they synchronise. */
    public static void free() {
        Free.begin();
    }

    /** The same, for a share of what they share: so many elements. */
    public static void share(int elements) {
        Share.begin(elements);
    }

    /** Runs the program as often as somebody asks for it. Does not return. */
    public static void serve(String requests, String answers) throws java.io.IOException {
        Serving.serve(requests, answers);
    }

    /** Gives the program what it read in another run. */
    public static void values(String file) throws java.io.IOException {
        Values.read(file);
    }

    /** A class has been loaded. */
    public static void loaded(Class<?> type) {
        Hashes.loaded(type);
    }

    /** A thread begins. */
    public static void begun() {
        try {
            if (Free.on) {
                FreeThreads.begun();
                return;
            }
            Life.begun();
        } catch (Throwable wrong) {
            fail(wrong);
        }
    }

    /** A thread ends. */
    public static void ended() {
        try {
            Life.ended();
        } catch (Throwable wrong) {
            fail(wrong);
        }
    }

    /** Without the scheduler the threads would wait for ever. */
    private static void fail(Throwable wrong) {
        StackTraceElement[] stack = wrong.getStackTrace();
        Ending.report("refused", "the scheduler failed: " + wrong
                + (stack.length == 0 ? "" : " at " + stack[0]));
        Runtime.getRuntime().halt(3);
    }

    /** The calling thread finds a monitor taken. */
    public static void contended(Object monitor, Thread owner) {
        if (Free.on) {
            FreeThreads.contends(monitor);
            return;
        }
        if (monitor == Engine.TABLE || monitor == Serving.OVER || monitor == Selecting.TABLE) {
            // The scheduler's own: who has them leaves them at once.
            return;
        }
        Turn me = Engine.mine();
        // Of virtual threads the JVM does not say it.
        Turn other = owner == null ? Owners.of(monitor) : Engine.of(owner);
        if (Serving.active && me != null && owner != null && Engine.isLeft(owner)) {
            Serving.unfit("an earlier run of it still has a monitor");
        }
        // Who is in there only to look whether it is meant will leave by itself.
        if (me != null && other != null && other != me && !other.looksInto(monitor)) {
            Engine.contended(me, monitor, other);
        }
    }

    /** It has got it. */
    public static void obtained(Object monitor) {
        if (Free.on) {
            FreeThreads.obtains(monitor);
        }
    }

    /** The JVM ends. */
    public static void finish() {
        if (Free.on) {
            FreeThreads.ends();
            CutOff.begin(FreeThread.current());
            int lost = FreeTable.lost();
            if (lost > 0) {
                Native.report("lacks", lost + (lost == 1 ? " order" : " orders") + " between threads");
            }
            return;
        }
        Policy policy = Engine.policy;
        Engine.running = null;
        if (policy != null && !Serving.active) {
            policy.finish();
        }
    }
}
