package reprise.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * In the place of the JDK's class of that name, which only an agent can get at: the same methods,
 * as far as the runtime uses them, over a buffer and variable handles.
 *
 * An address is a place in the buffer; the "offset" of a field is the number of its handle.
 */
final class Unsafe {
    /** 0 is no address. */
    private static final long START = 1 << 16;
    private static final int SIZE = 20 << 20;
    private static final ByteBuffer MEMORY =
        ByteBuffer.allocateDirect(SIZE).alignedSlice(8).order(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final Unsafe ONE = new Unsafe();
    /** Stands for the field that has a thread's number. */
    private static final long THREAD = -1;

    private static volatile VarHandle[] handles = new VarHandle[64];
    private static int handleCount;
    private static long free = START;
    private static long threads;
    /** The JVM's own number of a thread may be overridden, and its field is not to be had. */
    private static final ThreadLocal<Long> NUMBER = new ThreadLocal<Long>() {
        @Override
        protected Long initialValue() {
            synchronized (Unsafe.class) {
                return ++threads;
            }
        }
    };

    private Unsafe() {}

    static Unsafe getUnsafe() {
        return ONE;
    }

    // Memory.

    synchronized long allocateMemory(long bytes) {
        long address = free;
        free += bytes + 255 & ~255L;
        if (free - START > MEMORY.capacity()) {
            throw new OutOfMemoryError("the recorder's memory");
        }
        return address;
    }

    /** It is all zeros. */
    void setMemory(long address, long bytes, byte value) {}

    private static int at(long address) {
        return (int) (address - START);
    }

    byte getByte(long address) {
        return MEMORY.get(at(address));
    }

    short getShort(long address) {
        return MEMORY.getShort(at(address));
    }

    int getInt(long address) {
        return MEMORY.getInt(at(address));
    }

    long getLong(long address) {
        return MEMORY.getLong(at(address));
    }

    void putByte(long address, byte value) {
        MEMORY.put(at(address), value);
    }

    void putInt(long address, int value) {
        MEMORY.putInt(at(address), value);
    }

    void putLong(long address, long value) {
        MEMORY.putLong(at(address), value);
    }

    void putShortUnaligned(Object none, long address, short value) {
        MEMORY.putShort(at(address), value);
    }

    void putCharUnaligned(Object none, long address, char value) {
        MEMORY.putChar(at(address), value);
    }

    void putIntUnaligned(Object none, long address, int value) {
        MEMORY.putInt(at(address), value);
    }

    void putLongUnaligned(Object none, long address, long value) {
        MEMORY.putLong(at(address), value);
    }

    int getIntVolatile(Object none, long address) {
        return (int) INT.getVolatile(MEMORY, at(address));
    }

    long getLongVolatile(Object none, long address) {
        return (long) LONG.getVolatile(MEMORY, at(address));
    }

    void putIntVolatile(Object none, long address, int value) {
        INT.setVolatile(MEMORY, at(address), value);
    }

    void putIntRelease(Object none, long address, int value) {
        INT.setRelease(MEMORY, at(address), value);
    }

    void putLongRelease(Object none, long address, long value) {
        LONG.setRelease(MEMORY, at(address), value);
    }

    boolean compareAndSetInt(Object none, long address, int expected, int value) {
        return INT.compareAndSet(MEMORY, at(address), expected, value);
    }

    long getAndAddLong(Object none, long address, long value) {
        return (long) LONG.getAndAdd(MEMORY, at(address), value);
    }

    void copyMemory(long from, long to, long length) {
        byte[] bytes = new byte[(int) length];
        copy(from, bytes, bytes.length);
        ByteBuffer into = MEMORY.duplicate();
        into.position(at(to));
        into.put(bytes);
    }

    /** The bytes from an address on. */
    static void copy(long address, byte[] to, int length) {
        ByteBuffer from = MEMORY.duplicate();
        from.position(at(address));
        from.get(to, 0, length);
    }

    // Fields of objects.

    long objectFieldOffset(Class<?> type, String name) {
        if (type == Thread.class && name.equals("tid")) {
            return THREAD;
        }
        try {
            return number(MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                .findVarHandle(type, name, long.class));
        } catch (ReflectiveOperationException | LinkageError notThere) {
            // As the JDK's class has it.
            throw new InternalError(notThere);
        }
    }

    long objectFieldOffset(Field field) {
        Class<?> type = field.getDeclaringClass();
        try {
            return number(MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                .unreflectVarHandle(field));
        } catch (IllegalAccessException closed) {
            throw new IllegalArgumentException(closed);
        }
    }

    // Nobody asks for these here: what the outside sets by reflection is only named.

    Object staticFieldBase(Field field) {
        throw new UnsupportedOperationException(field.toString());
    }

    long staticFieldOffset(Field field) {
        throw new UnsupportedOperationException(field.toString());
    }

    private static synchronized long number(VarHandle handle) {
        VarHandle[] all = handles;
        if (handleCount == all.length) {
            all = Arrays.copyOf(all, 2 * handleCount);
        }
        all[handleCount++] = handle;
        handles = all;
        return handleCount;
    }

    private static VarHandle handle(long offset) {
        return handles[(int) offset - 1];
    }

    long getLong(Object o, long offset) {
        return offset == THREAD ? NUMBER.get() : (long) handle(offset).get(o);
    }

    void putLong(Object o, long offset, long value) {
        handle(offset).set(o, value);
    }

    boolean compareAndSetLong(Object o, long offset, long expected, long value) {
        return (boolean) handle(offset).compareAndSet(o, expected, value);
    }

    boolean getBoolean(Object o, long offset) {
        return (boolean) handle(offset).get(o);
    }

    byte getByte(Object o, long offset) {
        return (byte) handle(offset).get(o);
    }

    char getChar(Object o, long offset) {
        return (char) handle(offset).get(o);
    }

    short getShort(Object o, long offset) {
        return (short) handle(offset).get(o);
    }

    int getInt(Object o, long offset) {
        return (int) handle(offset).get(o);
    }

    float getFloat(Object o, long offset) {
        return (float) handle(offset).get(o);
    }

    double getDouble(Object o, long offset) {
        return (double) handle(offset).get(o);
    }

    Object getReference(Object o, long offset) {
        return handle(offset).get(o);
    }

    // Threads and classes.

    /** A thread that has to wait for the drainer does its work instead. */
    void park(boolean isAbsolute, long time) {
        Alone.drain();
    }

    /** Nobody was parked. */
    void unpark(Thread thread) {}

    void ensureClassInitialized(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException impossible) {
            throw new InternalError(impossible);
        }
    }
}
