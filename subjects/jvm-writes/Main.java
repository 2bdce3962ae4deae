import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The outside writes to inside fields by reflection, which is seen, and through
 * handles, which is not: the recording says so.
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
    }

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

    String shows() {
        return count + text + (self == this) + (cells == null ? 0 : cells[1]) + total + flag + letter + shared;
    }

    int counts() {
        return count++;
    }
}
