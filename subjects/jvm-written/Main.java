import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Class files that no compiler of today writes: one from before Java 6 with a
 * subroutine, one whose jumps get too far, one that does not verify, one whose
 * methods have no room for probes, and one whose constant pool has none.
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
        MethodHandles.lookup().defineClass(huge());
        MethodHandles.lookup().defineClass(full());
        System.out.println(User.huge(new ArrayList<>()));
        System.out.println(User.full(new ArrayList<>()));
        List<String> own = new ArrayList<>();
        System.out.println(invoke("Huge", "run", own) + " " + User.calls());
    }

    static Object invoke(String type, String method, List<String> list) throws Exception {
        return Class.forName(type).getMethod(method, List.class).invoke(null, list);
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

    /** list.add("x") 7000 times, a call of the inside, and fields; an initialiser of the same kind. */
    private static byte[] huge() throws Exception {
        Assembler a = new Assembler(52, "Huge");
        int add = a.member(11, "java/util/List", "add", "(Ljava/lang/Object;)Z");
        int size = a.member(11, "java/util/List", "size", "()I");
        int called = a.member(10, "User", "called", "()V");
        int tick = a.member(10, "Main", "tick", "()V");
        int count = a.member(9, "Huge", "count", "I");
        int x = a.string("x");
        a.field(9, "count", "I");
        for (int i = 0; i < 6900; i++) {
            a.op(0x2a, 0x12, x).far(0xb9, add).op(2, 0, 0x57);
        }
        a.far(0xb8, called);
        a.op(0x2a).far(0xb9, size).op(1, 0).far(0xb3, count);
        a.far(0xb2, count).op(0xac);
        a.method(9, "run", "(Ljava/util/List;)I", 1, new int[0]);
        for (int i = 0; i < 13_000; i++) {
            a.far(0xb8, tick);
        }
        a.op(0x10, 40).far(0xb3, count).far(0xb8, called).op(0xb1);
        a.method(8, "<clinit>", "()V", 0, new int[0]);
        a.far(0xb2, count).op(0xac);
        a.method(9, "count", "()I", 0, new int[0]);
        return a.done();
    }

    /** list.add("x"), list.size() in a class with as many constants as there may be. */
    private static byte[] full() throws Exception {
        Assembler a = new Assembler(52, "Full");
        int add = a.member(11, "java/util/List", "add", "(Ljava/lang/Object;)Z");
        int size = a.member(11, "java/util/List", "size", "()I");
        int called = a.member(10, "User", "called", "()V");
        a.op(0x2a, 0x12, a.string("x")).far(0xb9, add).op(2, 0, 0x57);
        a.far(0xb8, called).op(0x2a).far(0xb9, size).op(1, 0, 0xac);
        a.method(9, "run", "(Ljava/util/List;)I", 1, new int[0]);
        a.fill(65_490);
        return a.done();
    }
}

/** Uses those that could not have their probes. */
class User {
    private static int calls;

    static void called() {
        calls++;
    }

    static int calls() {
        return calls;
    }

    static String huge(List<String> list) {
        int before = Huge.count();
        return before + " " + Huge.run(list) + " " + Huge.count() + calls;
    }

    static String full(List<String> list) {
        return Full.run(list) + " " + list.size() + calls;
    }
}

/** Only what they look like: other classes of these names are defined first. */
class Huge {
    static int count() {
        return 0;
    }

    static int run(List<String> list) {
        return 0;
    }
}

class Full {
    static int run(List<String> list) {
        return 0;
    }
}
