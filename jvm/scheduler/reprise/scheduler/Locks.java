package reprise.scheduler;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

import jdk.internal.vm.annotation.DontInline;

/**
 * Locks that the JDK has for itself, where threads run freely. The program calls something that
 * has nothing to do with other threads, as far as anybody can see, and the JDK looks into a
 * table that all of them share: which connections can be used again, say. So who has such a
 * lock comes after who had it, if that is possible: the calls of the program are what a replay
 * can put in order, and each may take many locks.
 */
public final class Locks {
    private Locks() {}

    /** A lock gets an owner, which is the calling thread, or has none from now on. */
    public static void owns(Object lock, Thread owner) {
        if (Free.on) {
            passes(lock, owner);
        }
    }

    /**
     * Not inlined: locks are inlined into whatever has them, some of them twice, and a JVM would compile
     * all of this with each.
     */
    @DontInline
    private static void passes(Object lock, Thread owner) {
        FreeThread me = FreeThread.current();
        // Who has a stripe has its order by that.
        if (me != null && me.held == 0 && me.site < 0) {
            long before = Stripes.passes(me, lock);
            if (owner != null) {
                me.shouldFollow(before);
            }
        }
    }

    /** A synchronized method of the JDK begins, whose monitor is such a lock. */
    public static void entered(Object monitor) {
        owns(monitor, Thread.currentThread());
    }

    /** It is about to return. */
    public static void leaves(Object monitor) {
        owns(monitor, null);
    }

    /**
     * Whether a thread is about to park because another one has such a lock for a moment. In a
     * replay that one has it not any more.
     */
    static boolean isForAMoment(FreeThread me) {
        if (me.held != 0 || me.site >= 0) {
            return false;
        }
        Object blocker = LockSupport.getBlocker(Thread.currentThread());
        if (!(blocker instanceof AbstractOwnableSynchronizer)) {
            return false;
        }
        Thread owner = Synchronised.owner(blocker);
        FreeThread other = owner == null ? null : FreeTable.of(owner);
        return other == null || !other.isAway;
    }
}
