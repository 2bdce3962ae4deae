package reprise.runtime;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

import jdk.internal.vm.annotation.DontInline;

/** Each thread's recorder. */
public final class Recorders {
    private static final int MASK = 4095;
    /** By thread identifier, which the JVM never uses twice. */
    private static final Recorder[] FAST = new Recorder[MASK + 1];
    private static final Map<Long, Owned> ALL = new HashMap<>();
    private static final long TID = Ring.U.objectFieldOffset(Thread.class, "tid");
    private static int threads;
    /**
     * The one that is asked for most, as far as is known: whether it is the right one can be checked
     * while going on with it. Written seldom, since all threads read it.
     */
    private static Recorder favourite;
    private static final int OFTEN = 1 << 12;

    private static final class Owned {
        final Recorder recorder;
        final WeakReference<Thread> thread;

        Owned(Recorder recorder, Thread thread) {
            this.recorder = recorder;
            this.thread = new WeakReference<>(thread);
        }
    }

    private Recorders() {}

    /**
     * Initialises now what would otherwise be initialised within a probe, or
     * while another class is being loaded.
     */
    static void prepare() {
        Class<?>[] used = {
            ClassInfo.class, Crossing.class, Elements.class, Found.class, Handles.class, Hidden.class, Ids.class, Native.class,
            Order.class, Probe.class, Recorder.class, Ring.class, Sites.class, Steps.class, Supers.class, Type.class, Values.class,
        };
        for (Class<?> type : used) {
            Ring.U.ensureClassInitialized(type);
        }
        new Supers().top();
        new Crossing().isEmpty();
        Ids.get(Recorders.class, Ids.hash(Recorders.class), 0);
        StackWalker.getInstance();
    }

    /** Called by the agent once the spool is there. */
    static void start(long address, int pid, boolean oracle, boolean races) {
        Ring.map(address, pid);
        Recorder.oracle = oracle;
        Recorder.races = races;
        Sites.leaving(Recorders.class, 0);
        ClassInfo.of(String.class);
        Exports.tell();
    }

    /** The field is read directly: getId() may be overridden by the subject. */
    static Recorder current() {
        Thread thread = Thread.currentThread();
        long tid = Ring.U.getLong(thread, TID);
        Recorder recorder = favourite;
        return recorder != null && recorder.tid == tid ? recorder : another(thread, tid);
    }

    /** The same, if there is one: a thread that was never inside has none. */
    static Recorder known() {
        long tid = Ring.U.getLong(Thread.currentThread(), TID);
        Recorder recorder = FAST[(int) tid & MASK];
        if (recorder != null && recorder.tid == tid) {
            return recorder;
        }
        synchronized (ALL) {
            Owned owned = ALL.get(tid);
            return owned == null ? null : owned.recorder;
        }
    }

    @DontInline
    private static Recorder another(Thread thread, long tid) {
        Recorder recorder = FAST[(int) tid & MASK];
        if (recorder == null || recorder.tid != tid) {
            recorder = find(thread, tid);
        }
        if ((++recorder.asked & OFTEN - 1) == 0) {
            favourite = recorder;
        }
        return recorder;
    }

    private static Recorder find(Thread thread, long tid) {
        Native.begin();
        synchronized (ALL) {
            Owned owned = ALL.get(tid);
            if (owned == null) {
                closeFinished();
                owned = new Owned(new Recorder(tid, ++threads, thread.getName()), thread);
                ALL.put(tid, owned);
            }
            FAST[(int) tid & MASK] = owned.recorder;
            return owned.recorder;
        }
    }

    /** Gives back the rings of threads that have ended. */
    private static void closeFinished() {
        for (Iterator<Owned> all = ALL.values().iterator(); all.hasNext(); ) {
            Owned owned = all.next();
            Thread thread = owned.thread.get();
            if (thread == null || !thread.isAlive()) {
                owned.recorder.close();
                all.remove();
            }
        }
    }
}
