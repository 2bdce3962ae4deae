package reprise.scheduler;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/**
 * Something outside of the program that a thread waits for. Waiting for it takes nothing from
 * it: what there is to read, say, is read later, when the thread has the turn.
 */
abstract class Waiting {
    /** Whether an interrupt ends it. */
    final boolean interruptible;
    /** Nobody need wait any longer: it was closed, or the thread was interrupted. */
    volatile boolean ended;

    Waiting(boolean interruptible) {
        this.interruptible = interruptible;
    }

    /** Whether the wait is over, which may be found out by any thread and at once. */
    boolean isOver() {
        return ended;
    }

    /** Whether only the thread itself finds that out. */
    boolean looksItself() {
        return false;
    }

    /** The same, by the thread itself, which may take so many milliseconds to find out. */
    abstract boolean isOver(int millis) throws InterruptedException;

    /** Whether it is about this object, which is being closed. */
    boolean isAbout(Object object) {
        return false;
    }

    /** Nothing: the thread need not wait, and can be made to. */
    static final class Nothing extends Waiting {
        Nothing() {
            super(false);
            ended = true;
        }

        @Override
        boolean isOver(int millis) {
            return true;
        }
    }

    /** A file descriptor that can be read from or written to. */
    static final class Descriptor extends Waiting {
        /** The object that has it; null if nobody closes it by that. */
        private final Object descriptor;
        private final int number;
        private final boolean write;

        Descriptor(Object descriptor, int number, boolean write, boolean interruptible) {
            super(interruptible);
            this.descriptor = descriptor;
            this.number = number;
            this.write = write;
        }

        @Override
        boolean isOver() {
            return ended || Native.poll(number, write, 0);
        }

        @Override
        boolean isOver(int millis) {
            return ended || Native.poll(number, write, millis);
        }

        @Override
        boolean isAbout(Object object) {
            return descriptor != null && descriptor == object;
        }
    }

    /** A reference that the garbage collector puts into a queue. Others may not take it then. */
    static final class Enqueued extends Waiting {
        private final ReferenceQueue<?> queue;
        private Reference<?> found;

        /** In a replay it is known whether one came; then it does. */
        Enqueued(ReferenceQueue<?> queue, boolean comes) {
            super(true);
            this.queue = queue;
            this.ended = comes;
        }

        @Override
        synchronized boolean isOver() {
            Turn me = found == null ? Engine.mine() : null;
            if (me != null) {
                me.looksOutside = true;
            }
            try {
                found = found == null ? queue.poll() : found;
            } finally {
                if (me != null) {
                    me.looksOutside = false;
                }
            }
            return ended || found != null;
        }

        @Override
        boolean isOver(int millis) throws InterruptedException {
            if (!isOver()) {
                Thread.sleep(millis);
            }
            return isOver();
        }

        synchronized Reference<?> take() {
            return found;
        }
    }

    /** A process that ends. */
    static final class Exit extends Waiting {
        final Process process;

        Exit(Process process) {
            super(true);
            this.process = process;
        }

        @Override
        boolean looksItself() {
            return true;
        }

        @Override
        boolean isOver(int millis) throws InterruptedException {
            if (ended || !process.isAlive()) {
                return true;
            }
            if (Thread.holdsLock(process)) {
                // Who sees the process end needs the monitor to say so.
                process.wait(millis);
            } else {
                Thread.sleep(millis);
            }
            return ended || !process.isAlive();
        }
    }

    /** A part of a file that other processes have locked. */
    static final class Lock extends Waiting {
        private final FileChannel channel;
        private final long from;
        private final long size;
        private final boolean shared;

        Lock(FileChannel channel, long from, long size, boolean shared) {
            super(true);
            this.channel = channel;
            this.from = from;
            this.size = size;
            this.shared = shared;
        }

        @Override
        boolean looksItself() {
            return true;
        }

        @Override
        boolean isOver(int millis) throws InterruptedException {
            if (isFree()) {
                return true;
            }
            Thread.sleep(millis);
            return isFree();
        }

        private boolean isFree() {
            if (ended) {
                return true;
            }
            try (FileLock lock = channel.tryLock(from, size, shared)) {
                return lock != null;
            } catch (IOException | RuntimeException wrong) {
                // The program is told so by its own call.
                return true;
            }
        }

        @Override
        boolean isAbout(Object object) {
            return channel == object;
        }
    }
}
