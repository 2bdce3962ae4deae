import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Exceptions from constructors, super(), static initialisers and the JVM itself, and what finally does. */
public class Main {
    static int refusals;

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            try {
                System.out.println(new Derived(i).depth());
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(Ladder.makes(1) + Ladder.makes(2) + Ladder.makes(3));
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(Late.value);
            } catch (LinkageError e) {
                System.out.println(e.getClass().getName() + (e.getCause() == null ? "" : e.getCause().getClass().getName()));
            }
        }
        System.out.println(Ladder.initialises() + Ladder.initialises());
        System.out.println(Ladder.jvm());
        System.out.println(Ladder.finallys());
        System.out.println(Ladder.layers(5));
        System.out.println(Ladder.memory());
        System.out.println(Ladder.memoryOutside());
        System.out.println(Ladder.errors());
        try {
            Ladder.sneaks();
        } catch (Throwable e) {
            System.out.println(e.getMessage() + e.getSuppressed().length);
        }
        System.out.println(Ladder.rethrows() + refusals);
        try {
            new Twice(1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + new Twice(0).made);
        }
    }

    static Object exhausted() {
        throw new OutOfMemoryError("no room outside");
    }

    static <T> T run(Supplier<T> task) {
        try {
            return task.get();
        } finally {
            refusals++;
        }
    }
}

/** Outside. */
class Base {
    Base(int i) {
        if (i == 1) {
            throw new IllegalArgumentException("base refuses");
        }
        if (i == 2) {
            hook();
        }
    }

    void hook() {}
}

/** Outside: its initialiser fails. */
class Unready {
    static int value = Integer.parseInt("not a number");
}

class Derived extends Base {
    private final int i;

    Derived(int i) {
        super(check(i));
        this.i = i;
    }

    private static int check(int i) {
        if (i == 3) {
            throw new IllegalStateException("checked");
        }
        return i;
    }

    @Override
    void hook() {
        throw new UnsupportedOperationException("hook " + i);
    }

    int depth() {
        return i;
    }
}

class Twice extends Base {
    int made;

    Twice(int i) {
        this(i, new ArrayList<>(List.of(i)));
    }

    private Twice(int i, List<Integer> list) {
        super(0);
        made = list.size();
        if (i == 1) {
            throw new IllegalStateException("twice");
        }
    }
}

class Fragile {
    static int count;

    Fragile(int i) {
        count++;
        if (i == 2) {
            throw new IllegalArgumentException("fragile");
        }
    }
}

class Late {
    static int value = fail();

    private static int fail() {
        throw new IllegalStateException("late");
    }
}

class Broken {
    static int value = Integer.parseInt("broken");
}

class Ladder {
    static String makes(int i) {
        try {
            new Fragile(i);
            new Derived(i);
            return "made";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        } catch (IllegalStateException e) {
            return e.getMessage() + Fragile.count;
        }
    }

    static String initialises() {
        String text = "";
        try {
            text += Broken.value;
        } catch (ExceptionInInitializerError e) {
            text += "first " + e.getCause().getMessage();
        } catch (NoClassDefFoundError e) {
            text += "again " + e.getClass().getSimpleName();
        }
        try {
            text += Unready.value;
        } catch (ExceptionInInitializerError e) {
            text += "outside " + e.getCause().getClass().getSimpleName();
        } catch (NoClassDefFoundError e) {
            text += "outside again";
        }
        return text;
    }

    static String jvm() {
        String text = "";
        Object o = "s";
        int[] cells = new int[2];
        for (int i = 0; i < 6; i++) {
            try {
                switch (i) {
                    case 0: text += 1 / (i * cells[0]); break;
                    case 1: text += cells[i + 1]; break;
                    case 2: text += (Integer) o; break;
                    case 3: text += new int[i - 4].length; break;
                    case 4: o = null; text += o.hashCode(); break;
                    default: ((Object[]) new String[1])[0] = cells; break;
                }
            } catch (RuntimeException e) {
                text += e.getClass().getSimpleName() + e.getMessage() + ";";
            }
        }
        return text;
    }

    static int finallys() {
        int n = 0;
        try {
            try {
                Integer.parseInt("x");
            } finally {
                n += Main.run(() -> 5);
                try {
                    Main.run(() -> Integer.parseInt("y"));
                } catch (NumberFormatException e) {
                    n += 10;
                } finally {
                    n += 100;
                }
            }
        } catch (NumberFormatException e) {
            n += e.getMessage().contains("x") ? 1000 : 2000;
        }
        return n;
    }

    static String layers(int depth) {
        try {
            return Main.run(() -> depth == 0 ? List.<String>of().iterator().next() : layers(depth - 1));
        } catch (java.util.NoSuchElementException e) {
            if (depth < 3) {
                throw e;
            }
            throw new IllegalStateException("at " + depth, e);
        } catch (IllegalStateException e) {
            return e.getMessage() + (e.getCause() != null);
        }
    }

    static String memory() {
        try {
            long[][] much = new long[Integer.MAX_VALUE][];
            return "much " + much.length;
        } catch (OutOfMemoryError e) {
            return "no room";
        }
    }

    static String memoryOutside() {
        try {
            return "" + Main.exhausted();
        } catch (OutOfMemoryError e) {
            return e.getMessage();
        }
    }

    static String errors() {
        try {
            throw new AssertionError("asserted", new Error("cause"));
        } catch (AssertionError e) {
            return e.getMessage() + e.getCause().getMessage();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable any) throws T {
        throw (T) any;
    }

    static void sneaks() {
        Exception e = new Exception("checked");
        e.addSuppressed(new RuntimeException());
        Ladder.<RuntimeException>raise(e);
    }

    static String rethrows() {
        try {
            try {
                Main.run(() -> {
                    throw new IllegalStateException("inner");
                });
            } catch (IllegalStateException e) {
                throw new IllegalArgumentException("outer", e);
            }
        } catch (IllegalArgumentException e) {
            return e.getMessage() + e.getCause().getMessage();
        }
        return "";
    }
}
