import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Class files that no compiler of today writes: one from before Java 6 with a
 * subroutine, one whose jumps get too far, and one that does not verify.
 */
public class Main {
    static int ticks;

    public static void main(String[] args) throws Exception {
        Class<?> old = MethodHandles.lookup().defineClass(old());
        Object made = old.getConstructor().newInstance();
        List<String> list = new ArrayList<>();
        System.out.println(old.getMethod("run", List.class).invoke(made, list) + " " + list);
        try {
            old.getMethod("run", List.class).invoke(made, Collections.emptyList());
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause().getClass().getName());
        }
        Class<?> far = MethodHandles.lookup().defineClass(far());
        System.out.println(far.getMethod("run", int.class).invoke(null, 0) + " " + ticks);
        System.out.println(far.getMethod("run", int.class).invoke(null, 5) + " " + ticks);
        try {
            MethodHandles.lookup().defineClass(wrong()).getMethod("run").invoke(null);
        } catch (VerifyError e) {
            System.out.println(e.getMessage().lines().findFirst().get());
        }
    }

    public static void tick() {
        ticks++;
    }

    /** try { list.add("x"); } finally { list.add("y"); } with jsr and ret; then list.size(). */
    private static byte[] old() throws Exception {
        Assembler a = new Assembler(48, "Old");
        int add = a.member(11, "java/util/List", "add", "(Ljava/lang/Object;)Z");
        int size = a.member(11, "java/util/List", "size", "()I");
        a.op(0x2a).far(0xb7, a.member(10, "java/lang/Object", "<init>", "()V")).op(0xb1);
        a.method(1, "<init>", "()V", 1, new int[0]);
        a.op(0x2b, 0x12, a.string("x")).far(0xb9, add).op(2, 0, 0x57);
        int end = a.at();
        a.far(0xa8, 10).op(0x2b).far(0xb9, size).op(1, 0, 0xac);
        a.op(0x4d, 0x2b, 0x12, a.string("y")).far(0xb9, add).op(2, 0, 0x57, 0xa9, 2);
        int handler = a.at();
        a.op(0x4e).far(0xa8, -13).op(0x2d, 0xbf);
        a.method(1, "run", "(Ljava/util/List;)I", 4, new int[] {0, end, handler});
        return a.done();
    }

    /** if (n != 0) { tick() 60 times, with much in between } return n. */
    private static byte[] far() throws Exception {
        Assembler a = new Assembler(52, "Far");
        int tick = a.member(10, "Main", "tick", "()V");
        a.op(0x1a).far(0x99, 3 + 60 * 540);
        for (int i = 0; i < 60; i++) {
            a.far(0xb8, tick);
            for (int j = 0; j < 537; j++) {
                a.op(0);
            }
        }
        a.op(0x1a, 0xac);
        a.method(9, "run", "(I)I", 1, new int[0], 4 + 60 * 540);
        return a.done();
    }

    /** An int is returned as a reference. */
    private static byte[] wrong() throws Exception {
        Assembler a = new Assembler(52, "Wrong");
        a.op(0x03, 0xb0);
        a.method(9, "run", "()Ljava/lang/Object;", 0, new int[0]);
        return a.done();
    }
}
