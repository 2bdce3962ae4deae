package reprise.scheduler;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.InterruptibleChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.WritableByteChannel;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.concurrent.TimeUnit;

import jdk.internal.misc.Unsafe;

/**
 * What methods of the JDK call before they wait for something outside: a connection, bytes,
 * a process. A thread that would have to wait gives its turn away and waits for the outside
 * without taking anything from it; the call itself happens when the thread has the turn
 * again. So of all that a thread does, only waiting happens while others run.
 */
public final class Outside {
    /** As much is written to a pipe without waiting, once anything can be. */
    static final int PIECE = 4096;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Fields in which objects of the JDK have what they read from or write to. */
    private static final String[] FIELDS = {"fd", "delegate", "impl", "parent"};

    /** By class: where these fields are; empty for none. */
    private static final ClassValue<long[]> OFFSETS = new ClassValue<>() {
        @Override
        protected long[] computeValue(Class<?> type) {
            return offsets(type);
        }
    };

    private static final class Number {
        static final long OFFSET = UNSAFE.objectFieldOffset(FileDescriptor.class, "fd");
    }

    private Outside() {}

    /** What is needed later is loaded now, while nobody waits for a turn. */
    static void prepare() {
        descriptor(new Object());
        number(FileDescriptor.in);
        new Waiting.Descriptor(null, 0, false, false).isOver();
    }

    /** Before something is read or accepted. */
    public static void reads(Object object) {
        if (Free.on) {
            Wires.reads(object, 0);
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            await(me, object, false, 0);
        }
    }

    /** The same, for so many milliseconds; 0 for ever. */
    public static void reads(Object object, int millis) throws IOException {
        within(object, millis, "Read timed out");
    }

    /** Before a connection is accepted. */
    public static void accepts(Object object, int millis) throws IOException {
        within(object, millis, "Accept timed out");
    }

    /** Before a packet is received. */
    public static void receives(Object object, int millis) throws IOException {
        within(object, millis, "Receive timed out");
    }

    /** Who has waited in vain need not do it again in the JDK. */
    private static void within(Object object, int millis, String late) throws IOException {
        if (Free.on) {
            Wires.reads(object, millis);
            return;
        }
        Turn me = Engine.counted();
        if (me != null && !await(me, object, false, millis > 0 ? Clock.in(millis, 0) : 0)) {
            throw new SocketTimeoutException(late);
        }
    }

    /** Whether what is read there comes from outside, and in pieces. */
    static boolean isOutside(Object object) {
        FileDescriptor descriptor = descriptor(object);
        return descriptor != null && waits(number(descriptor), false);
    }

    /** Before something is done that others may notice outside: a selector is woken. */
    public static void puts() {
        if (Free.on) {
            Wires.puts();
        }
    }

    /** Before a connection is made: whoever accepts it comes later. */
    public static void connects(Object address) {
        if (Free.on) {
            Wires.connects(address);
            return;
        }
        passes();
    }

    /** Before the JDK looks into what threads share behind calls that say nothing of that. */
    public static void shares() {
        if (Free.on) {
            Wires.awaits(1, false, 0);
            return;
        }
        passes();
    }

    /** At a place where nothing is waited for. */
    private static void passes() {
        Turn me = Engine.counted();
        if (me != null) {
            Leaving.outside(me, new Waiting.Nothing(), 0);
        }
    }

    /** After a connection was accepted. */
    public static void gets() {
        if (Free.on) {
            Wires.gets(false);
        }
    }

    /** After that. */
    public static void connected() {
        if (Free.on) {
            Wires.connected();
        }
    }

    /** Before something is written. */
    public static void writes(Object object) {
        if (Free.on) {
            Wires.writes(object, 1);
        }
        Turn me = Engine.counted();
        if (me != null) {
            await(me, object, true, 0);
        }
    }

    /**
     * Before bytes are written: whether that has been done here. Who reads them may be
     * another thread, so only as many are written at once as can be without waiting.
     */
    public static boolean wrote(Object object, byte[] bytes, int from, int length) throws IOException {
        if (Free.on) {
            Wires.writes(object, Wires.pieces(length));
            return false;
        }
        Turn me = Engine.counted();
        if (me == null || bytes == null || from < 0 || length < 0 || length > bytes.length - from) {
            return false;
        }
        if (!mayWait(object, true)) {
            return false;
        }
        if (length <= PIECE) {
            await(me, object, true, 0);
            return false;
        }
        for (int at = 0; at < length; at += PIECE) {
            ((OutputStream) object).write(bytes, from + at, Math.min(PIECE, length - at));
        }
        return true;
    }

    /** The same, with a buffer, to a channel; how many there were, {@link #written} says. */
    public static boolean wrote(Object object, Object source) throws IOException {
        if (Free.on) {
            Wires.writes(object, Wires.pieces(source));
            return false;
        }
        Turn me = Engine.counted();
        if (me == null || !(source instanceof ByteBuffer) || !mayWait(object, true)) {
            return false;
        }
        ByteBuffer bytes = (ByteBuffer) source;
        if (bytes.remaining() <= PIECE) {
            await(me, object, true, 0);
            return false;
        }
        int from = bytes.position();
        int limit = bytes.limit();
        try {
            while (bytes.position() < limit) {
                bytes.limit(Math.min(limit, bytes.position() + PIECE));
                ((WritableByteChannel) object).write(bytes);
            }
        } finally {
            bytes.limit(limit);
        }
        me.written = bytes.position() - from;
        return true;
    }

    /** The same, with several of them, one after the other. */
    public static boolean wrote(Object object, Object[] sources, int from, int length) throws IOException {
        if (Free.on) {
            Wires.writes(object, Wires.pieces(sources, from, length));
            return false;
        }
        Turn me = Engine.counted();
        if (me == null || sources == null || from < 0 || length < 0 || length > sources.length - from
                || !mayWait(object, true)) {
            return false;
        }
        int written = 0;
        for (int at = from; at < from + length; at++) {
            written += ((WritableByteChannel) object).write((ByteBuffer) sources[at]);
        }
        me.written = written;
        return true;
    }

    public static int written() {
        Turn me = Engine.of(Thread.currentThread());
        return me == null ? 0 : me.written;
    }

    /** A set that a program iterates over, in an order that is the same in every run. */
    public static HashSet<?> ordered(HashSet<?> empty) {
        return Engine.running == null && !Free.on ? empty : new LinkedHashSet<>();
    }

    static boolean mayWait(Object object, boolean write) {
        if (object instanceof SelectableChannel && !((SelectableChannel) object).isBlocking()) {
            return false;
        }
        FileDescriptor descriptor = descriptor(object);
        return descriptor != null && waits(number(descriptor), write);
    }

    /** Waits, if that is needed; false if the time ran out. */
    private static boolean await(Turn me, Object object, boolean write, long deadline) {
        if (!mayWait(object, write)) {
            return true;
        }
        FileDescriptor descriptor = descriptor(object);
        boolean interruptible = object instanceof InterruptibleChannel;
        return Leaving.outside(me, new Waiting.Descriptor(
                descriptor, number(descriptor), write, interruptible), deadline);
    }

    /** Before the end of a process is awaited. */
    public static void exits(Object process) {
        if (Free.on) {
            Wires.awaits(1, ((Process) process).isAlive(), 0);
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            Leaving.outside(me, new Waiting.Exit((Process) process), 0);
        }
    }

    /** The same, for some time. */
    public static void exits(Object process, long time, Object unit) {
        if (Free.on && time > 0) {
            Wires.awaits(1, false, 0);
            return;
        }
        Turn me = Engine.counted();
        if (me != null && time > 0) {
            long deadline = Clock.in(0, ((TimeUnit) unit).toNanos(time));
            Leaving.outside(me, new Waiting.Exit((Process) process), deadline);
        }
    }

    /** Before a part of a file is locked. */
    public static void locks(Object channel, long from, long size, boolean shared) {
        if (Free.on) {
            Wires.awaits(1, false, 0);
            return;
        }
        Turn me = Engine.counted();
        if (me != null) {
            Leaving.outside(me, new Waiting.Lock((FileChannel) channel, from, size, shared), 0);
        }
    }

    /** A selector waits, in its epoll; returns how long it is to wait itself. */
    static int selects(Turn me, int epoll, int millis) {
        Waiting waiting = new Waiting.Descriptor(null, epoll, false, true);
        boolean inTime = Leaving.outside(me, waiting, millis > 0 ? Clock.in(millis, 0) : 0);
        return inTime && !waiting.ended ? millis : 0;
    }

    /** Before something is closed: who waits for it need not wait any longer. */
    public static void closes(Object object) {
        if (Free.on && isOutside(object)) {
            Wires.puts();
        }
        if (Engine.running == null) {
            return;
        }
        FileDescriptor descriptor = descriptor(object);
        for (int number = 0; number < Engine.count(); number++) {
            Turn turn = Engine.turn(number);
            Waiting waiting = turn == null ? null : turn.waiting;
            if (waiting != null && (waiting.isAbout(object)
                    || descriptor != null && waiting.isAbout(descriptor))) {
                waiting.ended = true;
            }
        }
    }

    /**
     * Whether a thread may have to wait there. What is printed says nothing of who reads it,
     * and where it goes may differ from run to run; what is typed always comes from outside.
     */
    private static boolean waits(int number, boolean write) {
        if (number < 3) {
            return number == 0 && !write;
        }
        return Native.waits(number);
    }

    /** Waits for more to read, so many milliseconds; whether there is. */
    static boolean hasMore(Object object, int millis) {
        FileDescriptor descriptor = descriptor(object);
        return descriptor == null || Native.poll(number(descriptor), false, millis);
    }

    /** The number of the file descriptor of an object; negative if there is none. */
    static int number(Object object) {
        FileDescriptor descriptor = descriptor(object);
        return descriptor == null ? -1 : number(descriptor);
    }

    private static int number(FileDescriptor descriptor) {
        return UNSAFE.getInt(descriptor, Number.OFFSET);
    }

    /** The file descriptor of a stream, a socket or a channel; null if there is none. */
    private static FileDescriptor descriptor(Object object) {
        Object at = object;
        for (int depth = 0; at != null && depth < 5; depth++) {
            Object next = null;
            for (long offset : OFFSETS.get(at.getClass())) {
                Object found = Synchronised.reference(at, offset);
                if (found instanceof FileDescriptor && number((FileDescriptor) found) >= 0) {
                    return (FileDescriptor) found;
                }
                if (next == null && !(found instanceof FileDescriptor)) {
                    next = found;
                }
            }
            at = next;
        }
        return null;
    }

    private static long[] offsets(Class<?> type) {
        long[] offsets = new long[8];
        int count = 0;
        for (String name : FIELDS) {
            for (Class<?> at = type; at != null && count < offsets.length; at = at.getSuperclass()) {
                Field field = field(at, name);
                if (field != null) {
                    offsets[count++] = UNSAFE.objectFieldOffset(field);
                    break;
                }
            }
        }
        return java.util.Arrays.copyOf(offsets, count);
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            boolean isStatic = java.lang.reflect.Modifier.isStatic(field.getModifiers());
            return isStatic || field.getType().isPrimitive() ? null : field;
        } catch (NoSuchFieldException none) {
            return null;
        }
    }
}
