package reprise.runtime;

import java.util.concurrent.locks.LockSupport;

/** A ring in plain memory that is full, and a thread that waits for room in it. */
class Waits {
    private static final int RING_SIZE = 1 << 14;
    private static final long CONTROL = 4096;
    private static final long REGION = 8192;
    private static final long DATA = 4096;
    /** How long a thread may take, on a machine that does other things, too. */
    private static final long PATIENCE_MS = 60_000;

    private final long base;

    private Waits(int deadAfterMs) {
        long length = REGION + DATA + RING_SIZE;
        base = Ring.U.allocateMemory(length);
        Ring.U.setMemory(base, length, (byte) 0);
        Ring.U.putInt(base + 12, 1);
        Ring.U.putLong(base + 16, RING_SIZE);
        Ring.U.putLong(base + 24, CONTROL);
        Ring.U.putLong(base + 32, REGION);
        Ring.U.putInt(base + 40, deadAfterMs);
        Ring.U.putInt(base + CONTROL, 1);
        Ring.map(base, 1);
        start(this::beat);
    }

    public static void main(String[] arguments) throws InterruptedException {
        new Waits(300).forgotten();
        new Waits((int) PATIENCE_MS).unparked();
    }

    /** The drainer lives and never looks at this ring: the thread goes on without it. */
    private void forgotten() throws InterruptedException {
        join("waits for ever", start(() -> fill(new Ring(1, "forgotten"))));
    }

    /** What another thread has unparked is not parked, though it waited in between. */
    private void unparked() throws InterruptedException {
        Thread thread = start(() -> {
            Ring ring = new Ring(1, "unparked");
            LockSupport.unpark(Thread.currentThread());
            fill(ring);
            LockSupport.park();
        });
        // A thread that waits stores its policy again with every look.
        long policy = base + CONTROL + 4;
        long deadline = System.nanoTime() + PATIENCE_MS * 1_000_000;
        for (int look = 0; look < 5; look++) {
            Ring.U.putIntVolatile(null, policy, 7);
            while (Ring.U.getIntVolatile(null, policy) != 0) {
                check("does not insist on its ring", System.nanoTime() < deadline);
                Thread.yield();
            }
        }
        // The recording ends, and the thread goes on.
        Ring.U.putIntVolatile(null, base + 128, 1);
        join("lost an unpark", thread);
    }

    private void fill(Ring ring) {
        do {
            ring.begin(1);
            if (ring.at != 0) {
                ring.publish();
            }
        } while (Ring.U.getLong(base + CONTROL + 136) == 0);
    }

    private void beat() {
        for (;;) {
            Ring.U.getAndAddLong(null, base + 64, 1);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join(String otherwise, Thread thread) throws InterruptedException {
        thread.join(PATIENCE_MS);
        check(otherwise, !thread.isAlive());
    }

    private static void check(String otherwise, boolean good) {
        if (!good) {
            System.err.println("the thread " + otherwise);
            System.exit(1);
        }
    }
}
