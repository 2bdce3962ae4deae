import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;

/** Finalizers and cleaners run when the collector likes; and recording keeps nothing alive. */
public class Main {
    static final Cleaner CLEANER = Cleaner.create();
    static volatile int finalized;

    public static void main(String[] args) throws Exception {
        WeakReference<Object> plain = new WeakReference<>(use());
        WeakReference<Object> other = new WeakReference<>(useOther());
        int cleaned = Plain.register();
        for (int i = 0; i < 500 && (plain.get() != null || other.get() != null || finalized == 0 || Plain.cleaned == cleaned); i++) {
            System.gc();
            System.runFinalization();
            Thread.sleep(10);
        }
        System.out.println((plain.get() == null) + " " + (other.get() == null) + (finalized > 0) + (Plain.cleaned > cleaned));
        System.out.println(Plain.count());
    }

    private static Object use() {
        Plain plain = new Plain(4);
        plain.twice(new Object());
        return plain;
    }

    private static Object useOther() {
        Object other = new StringBuilder("x");
        new Plain(3).twice(other);
        return other;
    }

    static void gone(int n) {
        finalized = n;
    }
}

class Plain {
    static volatile int cleaned;
    private static int count;
    private final int n;

    Plain(int n) {
        this.n = n;
        count++;
    }

    int twice(Object other) {
        return other == null ? 0 : 2 * n;
    }

    static int register() {
        Object thing = new Object();
        Main.CLEANER.register(thing, () -> cleaned++);
        return cleaned;
    }

    static int count() {
        return count;
    }

    @Override
    protected void finalize() {
        Main.gone(n);
    }
}
