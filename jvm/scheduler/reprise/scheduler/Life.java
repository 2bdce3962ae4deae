package reprise.scheduler;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.atomic.AtomicLong;

import jdk.internal.misc.Unsafe;

/** How threads of the program come into being, begin and end, in the eyes of the {@link Engine}. */
final class Life {
    /** The last number of a thread of the JDK, far from those of programs. */
    private static final AtomicLong FOREIGN = new AtomicLong(1L << 40);

    private static final long TARGET = target();

    private Life() {}

    /** A thread object has been created. */
    static void created(Thread thread) {
        Turn me = Engine.mine();
        if (me != null && Engine.of(thread) == null && !isForeign(thread)) {
            FreeTable.number(thread, Values.number(FreeTable.tid(thread)));
            Values.begun(Engine.add(thread, me.descent + "." + ++me.children));
            Watch.begin();
        } else if (Values.areGiven() && Engine.of(thread) == null) {
            // Threads of the program have the numbers that they had, and a JVM may know the owner
            // of a monitor by that alone.
            FreeTable.number(thread, FOREIGN.incrementAndGet());
        }
    }

    /** What the JVM and the JDK create for themselves is in the topmost group, or says so. */
    static boolean isForeign(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        String type = thread.getClass().getName();
        if (type.equals("jdk.internal.misc.InnocuousThread") && cleans(thread)) {
            return false;
        }
        // The client for HTTP has one of its own, which is a part of what the program does.
        return group == null || group.getParent() == null
                || type.startsWith("jdk.internal.") && !type.startsWith("jdk.internal.net.http.");
    }

    /**
     * Whether a thread that is being made is a cleaner, which runs what the program has given it; the
     * JDK's own has another name. Java 11 gives it its name only when it is made.
     */
    private static boolean cleans(Thread thread) {
        String name = thread.getName();
        if (name.startsWith("Cleaner-")) {
            return true;
        }
        Object target = TARGET < 0 ? null : Synchronised.reference(thread, TARGET);
        return name.startsWith("InnocuousThread-") && target != null
                && target.getClass().getName().equals("jdk.internal.ref.CleanerImpl");
    }

    /** Where a thread has what it runs; negative for releases that have it elsewhere. */
    private static long target() {
        try {
            return Unsafe.getUnsafe().objectFieldOffset(Thread.class, "target");
        } catch (InternalError none) {
            return -1;
        }
    }

    /** A thread is being started, and will wait for its turn. */
    static void starting(Thread thread) {
        Turn turn = Engine.of(thread);
        if (Serving.active && turn != null) {
            checkLasting(thread);
        }
        if (turn == null || turn.state != Turn.NEW) {
            return;
        }
        if (Engine.mine() != null) {
            turn.state = Turn.READY;
        } else if (Engine.running != null && Engine.of(Thread.currentThread()) == null) {
            // As the JVM does with what is to run at its end, while daemons may still have the turn: nobody
            // would give it one.
            turn.state = Turn.DEAD;
            Engine.forget(thread);
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
        if (Engine.isLeft(Thread.currentThread())) {
            Engine.stay();
        }
        Turn me = Engine.of(Thread.currentThread());
        // Main has begun before anybody could say so.
        if (me != null && me.number != 0 && (Engine.running != null || Serving.active)) {
            me.await();
            Chance.begun(me.descent);
            Engine.resume(me);
        }
    }

    /** The last thing that a thread does. */
    static void ended() {
        Turn me = Engine.mine();
        // The JVM also says so of the thread that ends the JVM.
        if (me == null || !me.exiting) {
            return;
        }
        me.state = Turn.DEAD;
        for (int number = 0; number < Engine.count(); number++) {
            Turn other = Engine.turn(number);
            if (other.state == Turn.WAITING && other.on == me.thread) {
                // The JVM notifies who waits for the end of a thread.
                other.state = Turn.MONITOR;
            }
        }
        Turn next = Engine.policy.ended(me);
        Engine.forget(me.thread);
        if (next == null) {
            Engine.running = null;
            if (Serving.active) {
                Serving.ended();
            }
        } else if (Engine.areDaemons() && !me.thread.isDaemon()) {
            // With this thread the JVM would end, and others have something to do before that.
            Policy policy = Engine.policy;
            Engine.pass(me, next);
            policy.awaitDaemons();
        } else {
            next.after = me.thread;
            Engine.pass(me, next);
        }
    }

    /**
     * The JVM needs a moment after the last thing that we see of a thread, and the
     * monitor of its object, which who joins it has. Others may have that monitor for
     * long; then it does not matter when exactly the thread is gone.
     */
    static void awaitEnd(Thread thread) {
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
}
