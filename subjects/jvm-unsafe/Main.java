import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Fields and arrays that the inside uses by Unsafe, alone and in threads that hand over to one another. */
public class Main {
    public static void main(String[] args) throws InterruptedException {
        Counter counter = new Counter();
        System.out.println(counter.alone());
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> counter.work(number), "worker-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(counter.total());
        System.out.println(counter.bytes(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }

    /** What the outside does with what it is told. */
    static int told(int count) {
        return count % 7;
    }
}

class Base {
    volatile long sum;
}

class Counter extends Base {
    private static final Unsafe UNSAFE = unsafe();
    private static final long COUNT = offset(Counter.class, "count");
    private static final long SUM = offset(Base.class, "sum");
    private static final long LAST = offset(Counter.class, "last");
    private static final long FIRST = UNSAFE.arrayBaseOffset(Object[].class);
    private static final long SCALE = UNSAFE.arrayIndexScale(Object[].class);
    private volatile int count;
    private volatile Object last;
    private final Object[] slots = new Object[4];

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static long offset(Class<?> owner, String field) {
        try {
            return UNSAFE.objectFieldOffset(owner.getDeclaredField(field));
        } catch (NoSuchFieldException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    String alone() {
        boolean done = UNSAFE.compareAndSwapInt(this, COUNT, 0, 5);
        boolean again = UNSAFE.compareAndSwapInt(this, COUNT, 0, 6);
        UNSAFE.putLong(this, SUM, 40);
        long before = UNSAFE.getAndAddLong(this, SUM, 2);
        UNSAFE.putOrderedObject(this, LAST, "last");
        UNSAFE.putObjectVolatile(slots, FIRST + 2 * SCALE, this);
        return done + " " + again + " " + count + " " + before + " " + sum + " " + last + " "
            + (slots[2] == this) + " " + UNSAFE.getObjectVolatile(slots, FIRST + 3 * SCALE);
    }

    void work(int number) {
        for (int i = 0; i < 50; i++) {
            int seen;
            do {
                seen = UNSAFE.getIntVolatile(this, COUNT);
            } while (!UNSAFE.compareAndSwapInt(this, COUNT, seen, seen + 1));
            UNSAFE.getAndAddLong(this, SUM, Main.told(seen));
            Object old = UNSAFE.getAndSetObject(this, LAST, "by " + number);
            UNSAFE.putObjectVolatile(slots, FIRST + number * SCALE, old);
        }
    }

    String total() {
        return count + " " + sum + " " + String.valueOf(last).startsWith("by ");
    }

    int bytes(byte[] bytes) {
        long base = UNSAFE.arrayBaseOffset(byte[].class);
        UNSAFE.putByte(bytes, base + 8, (byte) 90);
        return (int) (UNSAFE.getLong(bytes, base) & 0xff) + bytes[8];
    }
}
