import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * What the JVM says of a mistake, and where it says it happened, is what it is
 * without recording: for every instruction that can find null, on both sides of
 * the boundary, and for stacks through callbacks, constructors, initialisers.
 */
public class Main {
    static Inside none;

    public static void main(String[] args) throws Exception {
        Inside inside = new Inside("x");
        for (int i = 0; i < 16; i++) {
            int which = i;
            told(() -> inside.mistake(which, null, null));
        }
        told(() -> none.name);
        told(() -> none.items[0]);
        told(() -> inside.items[1].items[2]);
        told(() -> inside.items[7]);
        told(() -> inside.matrix[1][0]);
        told(() -> none.name = "y");
        told(() -> none.items[0] = inside);
        told(() -> none.count += 2);
        told(() -> inside.items[1].count);
        told(() -> none.mistake(0, null, null));
        told(() -> (Object) ((Integer) inside.object()).intValue());
        told(() -> new Inside(null));
        told(() -> Broken.VALUE);
        told(() -> Broken.VALUE);
        told(() -> inside.sorted(new ArrayList<>(Arrays.asList("b", null, "a"))));
        told(() -> inside.streamed(List.of(1, 0)));
        told(() -> Later.made());
        told(() -> inside.who());
        told(() -> inside.walked());
        told(() -> inside.resources());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(inside.who())));
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> trace(e));
        Thread thread = new Thread(inside, "runs");
        thread.start();
        thread.join();
        inside.run();
    }

    private static void told(Callable<?> what) {
        try {
            System.out.println(what.call());
        } catch (Throwable e) {
            trace(e);
        }
    }

    static void trace(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            System.out.println(at);
            for (StackTraceElement frame : at.getStackTrace()) {
                if (frame.getModuleName() == null) {
                    System.out.println("  " + frame);
                }
            }
        }
    }

    static String caller() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .getCallerClass().getName();
    }

    static <T> T back(Callable<T> what) throws Exception {
        return what.call();
    }
}

class Broken {
    static final Object VALUE = Inside.fails("broken");
}

class Inside implements Runnable {
    String name;
    int count;
    Inside[] items = new Inside[2];
    int[][] matrix = new int[2][];
    private static Inside last;

    Inside(String name) {
        this.name = name.trim();
        last = this;
    }

    static Object fails(String why) {
        throw new IllegalStateException(why);
    }

    Object object() {
        return name;
    }

    Object mistake(int which, Inside other, Object[] array) throws Exception {
        switch (which) {
            case 0: return other.name;
            case 1: return other.items[0];
            case 2: return array.length;
            case 3: return array[1];
            case 4: return other.object().hashCode();
            case 5: other.name = "z"; return 0;
            case 6: array[0] = name; return 0;
            case 7: return items[0].items[1].name;
            case 8: return items[5];
            case 9: return matrix[0][0]++;
            case 10: synchronized (other) { return 1; }
            case 11: throw (Exception) (Object) array;
            case 12: return ((String) (Object) last).length();
            case 13: return new int[count - 1];
            case 14: return name.substring(9) + other;
            default: return 1 / count + last.items[0].who();
        }
    }

    List<String> sorted(List<String> list) {
        list.sort((a, b) -> a.compareTo(b));
        return list;
    }

    List<Integer> streamed(List<Integer> numbers) {
        return numbers.stream().map(n -> 10 / n).collect(Collectors.toList());
    }

    String who() throws RuntimeException {
        StackTraceElement[] trace = new Throwable().getStackTrace();
        return trace[0] + " " + Main.caller() + Thread.currentThread().getStackTrace()[1].getLineNumber();
    }

    String walked() throws Exception {
        return Main.back(() -> StackWalker.getInstance().walk(frames -> frames
            .filter(frame -> !frame.getClassName().contains("Lambda"))
            .map(frame -> frame.getMethodName() + frame.getByteCodeIndex() * 0 + frame.getLineNumber())
            .collect(Collectors.joining(" "))));
    }

    String resources() throws Exception {
        try (java.io.InputStream in = Inside.class.getResourceAsStream("Inside.class")) {
            return (in.readAllBytes().length > 100) + " " + (getClass().getResource("None.class") == null)
                + (Inside.class.getProtectionDomain().getCodeSource().getLocation() == null);
        }
    }

    @Override
    public void run() {
        Object o = items[0].name;
        System.out.println(o);
    }
}

class Later {
    static Object made() {
        return new Later(3).value;
    }

    private final Object value;

    Later(int n) {
        this(n, check(n));
    }

    Later(int n, Object checked) {
        value = checked;
    }

    private static Object check(int n) {
        Inside.fails("number " + n);
        return n;
    }
}
