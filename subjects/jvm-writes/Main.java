import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The outside writes to inside fields by reflection, by VarHandles and by field
 * updaters, which is seen, and by other handles, which is not: the recording says so.
 */
public class Main {
    public static void main(String[] args) throws Throwable {
        Vault vault = new Vault();
        set("count", vault, 5);
        set("text", vault, "set");
        set("self", vault, vault);
        set("cells", vault, new int[] {7, 8});
        set("shared", null, 2.5);
        field("total").setLong(vault, 1L << 40);
        field("flag").setBoolean(vault, true);
        field("letter").setChar(vault, 'q');
        System.out.println(vault.shows());
        try {
            field("count").set(vault, "no number");
        } catch (IllegalArgumentException e) {
            System.out.println("refused");
        }
        set("text", vault, null);
        System.out.println(vault.shows());
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(Vault.class, MethodHandles.lookup());
        VarHandle handle = lookup.findVarHandle(Vault.class, "unread", int.class);
        handle.setVolatile(vault, 3);
        MethodHandle setter = lookup.findSetter(Vault.class, "unread", int.class);
        setter.invokeExact(vault, (int) handle.get(vault) + 1);
        AtomicIntegerFieldUpdater<Vault> updater = AtomicIntegerFieldUpdater.newUpdater(Vault.class, "open");
        System.out.println(updater.incrementAndGet(vault) + (int) handle.get(vault));
        Field own = Main.class.getDeclaredField("outside");
        own.setInt(null, 4);
        System.out.println(outside + vault.counts());
        byHandles(lookup, vault);
    }

    /** By handles that either side has made, on fields of the object, of its class and of one above. */
    private static void byHandles(MethodHandles.Lookup lookup, Vault vault) throws Exception {
        Vault.LEVEL.set(vault, 10L);
        System.out.println(vault.levels());
        long before = (long) Vault.LEVEL.getAndAdd(vault, 5L);
        boolean wrong = Vault.LEVEL.compareAndSet(vault, 1L, 2L);
        boolean right = Vault.LEVEL.compareAndSet(vault, 15L, 16L);
        System.out.println(before + " " + wrong + right + vault.levels());
        VarHandle held = lookup.findVarHandle(Vault.class, "held", Object.class);
        held.setRelease(vault, "held");
        System.out.println(vault.holds() + held.getAndSet(vault, 7) + vault.holds());
        VarHandle shared = lookup.findStaticVarHandle(Vault.class, "times", int.class);
        shared.set(3);
        System.out.println((int) shared.getAndAdd(4) + Vault.times());
        AtomicReferenceFieldUpdater<Vault, String> name =
                AtomicReferenceFieldUpdater.newUpdater(Vault.class, String.class, "name");
        System.out.println(name.compareAndSet(vault, "no", "yes") + vault.named());
        name.set(vault, "first");
        System.out.println(name.compareAndSet(vault, "first", "second") + vault.named());
        System.out.println(Adder.add(Vault.OPEN, vault, 30) + " " + vault.opens());
        System.out.println(Vault.OPEN.updateAndGet(vault, open -> open * 2) + " " + vault.opens());
        System.out.println(vault.bumps() + " " + vault.opens());
        Above above = new Above();
        Vault.LEVEL.set(above, 20L);
        System.out.println(above.levels());
        // An object that nothing has mentioned before.
        Object inner = Vault.HIDDEN.get(vault);
        System.out.println(vault.isHidden(inner));
    }

    /** Knows nothing of what it adds to. */
    private static final class Adder {
        static <T> int add(AtomicIntegerFieldUpdater<T> updater, T to, int more) {
            for (;;) {
                int before = updater.get(to);
                if (updater.compareAndSet(to, before, before + more)) {
                    return before;
                }
            }
        }
    }

    /** Is outside, and has an inside field. */
    private static final class Above extends Vault {}

    static int outside;

    private static Field field(String name) throws NoSuchFieldException {
        Field field = Vault.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static void set(String name, Object on, Object value) throws Exception {
        field(name).set(on, value);
    }
}

class Vault {
    private int count = 1;
    private String text = "made";
    private Vault self;
    private int[] cells;
    private long total;
    private boolean flag;
    private char letter;
    private static Double shared = 1.5;
    volatile int unread;
    volatile int open;
    static final VarHandle LEVEL;
    static final AtomicReferenceFieldUpdater<Vault, Object> HIDDEN =
            AtomicReferenceFieldUpdater.newUpdater(Vault.class, Object.class, "hidden");
    static final AtomicIntegerFieldUpdater<Vault> OPEN =
            AtomicIntegerFieldUpdater.newUpdater(Vault.class, "open");
    private long level;
    private Object held;
    private static int times;
    volatile String name;
    private volatile Object hidden = new Object();

    static {
        try {
            LEVEL = MethodHandles.lookup().findVarHandle(Vault.class, "level", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    int bumps() {
        return OPEN.accumulateAndGet(this, 5, (open, more) -> open + more);
    }

    int opens() {
        return open;
    }

    long levels() {
        return level;
    }

    String holds() {
        return "<" + held + ">";
    }

    static int times() {
        return times;
    }

    String named() {
        return name;
    }

    boolean isHidden(Object object) {
        return object == hidden;
    }

    String shows() {
        return count + text + (self == this) + (cells == null ? 0 : cells[1]) + total + flag + letter + shared;
    }

    int counts() {
        return count++;
    }
}
