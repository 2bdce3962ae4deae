import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that hand inside objects to one another without a monitor: by
 * VarHandles, field updaters, volatile fields of other classes, atomics, locks,
 * parking and concurrent collections. What comes of it differs from run to run,
 * so it is not printed.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Exchange exchange = new Exchange();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int me = i;
            Thread thread = new Thread(() -> exchange.run(me, 150), "worker-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(exchange.result() == 0 ? "nothing" : "exchanged");
        System.out.println(exchange.failures());
    }
}

class Item {
    final int from;
    Item next;

    Item(int from, Item next) {
        this.from = from;
        this.next = next;
    }
}

class Board {
    static volatile int chalk;
    volatile Item shown;
}

class Exchange {
    private static final VarHandle TOP;
    private static final VarHandle TICKETS;
    private static final VarHandle TOTAL;
    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(Item[].class);
    private static final AtomicIntegerFieldUpdater<Exchange> COUNT =
        AtomicIntegerFieldUpdater.newUpdater(Exchange.class, "count");
    private static final AtomicLongFieldUpdater<Exchange> SUM =
        AtomicLongFieldUpdater.newUpdater(Exchange.class, "sum");
    private static final AtomicReferenceFieldUpdater<Exchange, Item> LAST =
        AtomicReferenceFieldUpdater.newUpdater(Exchange.class, Item.class, "last");

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(Exchange.class, "top", Item.class);
            TICKETS = lookup.findVarHandle(Exchange.class, "tickets", int.class);
            TOTAL = lookup.findStaticVarHandle(Exchange.class, "total", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long total;
    private final Board board = new Board();
    private final Item[] slots = new Item[4];
    private final AtomicReference<Item> reference = new AtomicReference<>();
    private final AtomicInteger order = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Item> map = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private Item top;
    private int tickets;
    private volatile int count;
    private volatile long sum;
    private volatile Item last;
    private volatile Thread parked;
    private long underLock = 1;

    void run(int me, int rounds) {
        for (int i = 0; i < rounds; i++) {
            push(new Item(me, null));
            Item popped = pop();
            long seen = popped == null ? 7 : popped.from;
            seen = seen * 31 + (int) TICKETS.getAndAdd(this, 1);
            TOTAL.getAndAdd(seen);
            Item before = (Item) SLOTS.getAndSet(slots, i & 3, new Item(me, popped));
            seen = seen * 31 + (before == null ? 5 : before.from);
            seen = seen * 31 + COUNT.incrementAndGet(this) + count;
            Item was = LAST.getAndSet(this, new Item(me, before));
            seen = seen * 31 + (was == null ? 3 : was.from) + last.from;
            Item shown = board.shown;
            board.shown = new Item(me, null);
            seen = seen * 31 + (shown == null ? 2 : shown.from);
            Board.chalk = Board.chalk + me;
            seen = seen * 31 + Board.chalk;
            Item had = reference.getAndSet(new Item(me, null));
            seen = seen * 31 + (had == null ? 1 : had.from) + order.incrementAndGet();
            map.put(i % 5, new Item(me, had));
            queue.add(map.get((i + 1) % 5 == 0 ? 0 : i % 5));
            Item polled = queue.poll();
            seen = seen * 31 + (polled == null ? 9 : polled.from);
            SUM.addAndGet(this, seen);
            lock.lock();
            try {
                underLock = underLock * 31 + me;
            } finally {
                lock.unlock();
            }
            if (i % 50 == me) {
                park();
            }
        }
        LockSupport.unpark(parked);
    }

    private void push(Item item) {
        Item head;
        do {
            head = (Item) TOP.getAcquire(this);
            item.next = head;
        } while (!TOP.compareAndSet(this, head, item));
    }

    private Item pop() {
        Item head;
        do {
            head = (Item) TOP.getVolatile(this);
        } while (head != null && !TOP.compareAndSet(this, head, head.next));
        return head;
    }

    private void park() {
        Thread waits = parked;
        parked = Thread.currentThread();
        LockSupport.unpark(waits);
        LockSupport.parkNanos(100_000);
    }

    long result() {
        long value = sum ^ underLock ^ (long) TOTAL.getVolatile() ^ count;
        for (Item item = top; item != null; item = item.next) {
            value = value * 31 + item.from;
        }
        return value;
    }

    /** What fails leaves nothing behind. */
    String failures() {
        String text = "";
        try {
            SLOTS.setVolatile(slots, 4, null);
        } catch (ArrayIndexOutOfBoundsException e) {
            text += "bounds ";
        }
        try {
            TICKETS.setVolatile((Exchange) null, 1);
        } catch (NullPointerException e) {
            text += "null ";
        }
        try {
            AtomicIntegerFieldUpdater.newUpdater(Exchange.class, "tickets");
        } catch (IllegalArgumentException e) {
            text += "not volatile ";
        }
        return text + SLOTS.getVolatile(new Item[1], 0) + " " + (int) TICKETS.getVolatile(this);
    }
}
