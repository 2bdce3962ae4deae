import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/** Records, sealed types, enums with bodies, nestmates, bridges, interface fields and the like. */
public class Main implements Outer {
    public static void main(String[] args) throws Exception {
        Tongue tongue = new Tongue(3);
        System.out.println(tongue.nest() + tongue.local(4) + tongue.anonymous().get(2));
        System.out.println(Node.sum(new Fork(new Leaf(1), new Fork(new Leaf(2), new Leaf(3)))));
        for (Level level : Level.values()) {
            System.out.println(level + level.next().name() + level.weight() + tongue.switches(level) + level.compareTo(Level.MID));
        }
        System.out.println(Level.valueOf("HIGH").getClass() == Level.class);
        System.out.println(tongue.strings("beta") + tongue.strings("?") + tongue.strings("Aa") + tongue.strings("BB"));
        Point point = new Point(1, 2);
        System.out.println(point + " " + point.equals(new Point(1, 2)) + point.hashCode() + point.plus(point).x());
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Units.FACTOR + Units.made() + tongue.outer(new Main()));
        Comparable<Twice> twice = new Twice(4);
        System.out.println(twice.compareTo(new Twice(5)) + tongue.generic(new ArrayList<>(List.of("p", "q"))));
        try {
            ((Comparable) twice).compareTo("no");
        } catch (ClassCastException e) {
            System.out.println("no twice");
        }
        System.out.println(tongue.resources() + tongue.finallyReturns() + tongue.loops());
        System.out.println(tongue.matches(point) + tongue.matches("text") + tongue.matches(7) + tongue.matches(null));
        System.out.println(Tongue.add(2, 3) + tongue.curry().apply(4, "x") + Tongue.made.apply(3).length);
        try {
            tongue.missing();
        } catch (UnsatisfiedLinkError e) {
            System.out.println("no library");
        }
        System.out.println(tongue.catchesMissing() + tongue.new Inner().deeper().sum() + tongue.text());
        System.out.println(tongue.numbers((byte) 200, 'z', -7, 1L << 40, 1.1f, 2.2));
        synchronized (tongue) {
            System.out.println(tongue.locked() + " " + Tongue.lockedToo());
        }
    }
}

/** Outside. */
interface Outer {
    List<String> LATE = new ArrayList<>(List.of("interface", "field"));
    int CONSTANT = 12;

    default int size() {
        return LATE.size();
    }
}

interface Units {
    int FACTOR = Integer.parseInt("60");
    Units ONE = () -> 1;

    int count();

    static int made() {
        return ONE.count() + ONE.twice();
    }

    default int twice() {
        return 2 * hidden();
    }

    private int hidden() {
        return count();
    }
}

sealed interface Node permits Leaf, Fork {
    static int sum(Node node) {
        if (node instanceof Leaf leaf) {
            return leaf.value();
        }
        Fork fork = (Fork) node;
        return sum(fork.left()) + sum(fork.right());
    }
}

record Leaf(int value) implements Node {}

record Fork(Node left, Node right) implements Node {}

record Point(int x, int y) {
    static int made;

    Point {
        if (x < 0) {
            throw new IllegalArgumentException("negative " + x);
        }
        made++;
    }

    Point plus(Point other) {
        return new Point(x + other.x, y + other.y());
    }
}

enum Level {
    LOW(1),
    MID(5) {
        @Override
        int weight() {
            return super.weight() * 2;
        }
    },
    HIGH(9);

    private final int weight;

    Level(int weight) {
        this.weight = weight;
    }

    int weight() {
        return weight;
    }

    Level next() {
        return values()[(ordinal() + 1) % values().length];
    }
}

class Twice implements Comparable<Twice> {
    private final int n;

    Twice(int n) {
        this.n = n;
    }

    @Override
    public int compareTo(Twice other) {
        return n - other.n;
    }
}

class Tongue {
    private int secret;
    private static int secrets = 100;
    static final IntFunction<int[]> made = int[]::new;

    Tongue(int secret) {
        this.secret = secret;
    }

    private int bump(int by) {
        return secret += by;
    }

    class Inner {
        private int own = secret + bump(1);

        Inner deeper() {
            class Local extends Inner {
                @Override
                int sum() {
                    return super.sum() * 10 + secrets++;
                }
            }
            return new Local();
        }

        int sum() {
            return own + Tongue.this.secret;
        }
    }

    static class Nested {
        private static int calls;

        private Nested() {
            calls++;
        }

        private int peek(Tongue tongue) {
            return tongue.secret + secrets;
        }
    }

    int nest() {
        return new Nested().peek(this) + Nested.calls + new Inner().own;
    }

    int local(int by) {
        int[] box = {by};
        Runnable twice = () -> box[0] *= 2;
        twice.run();
        return box[0] + secret;
    }

    List<Integer> anonymous() {
        return new java.util.AbstractList<Integer>() {
            @Override
            public Integer get(int index) {
                return index * bump(1);
            }

            @Override
            public int size() {
                return 4;
            }
        };
    }

    String switches(Level level) {
        return switch (level) {
            case LOW -> "l";
            case MID -> {
                String m = "m";
                yield m + secret;
            }
            default -> "h";
        };
    }

    int strings(String word) {
        switch (word) {
            case "alpha": return 1;
            case "beta": return 2;
            case "Aa": return 3;
            case "BB": return 4;
            default: return 0;
        }
    }

    int outer(Outer outer) {
        return outer.size() + Outer.CONSTANT + Outer.LATE.get(0).length();
    }

    <T extends CharSequence & Comparable<T>> int generic(List<T> list) {
        T most = list.get(0);
        for (T one : list) {
            most = one.compareTo(most) > 0 ? one : most;
        }
        return most.length() + most.charAt(0);
    }

    String resources() {
        StringBuilder log = new StringBuilder();
        class Resource implements AutoCloseable {
            private final String name;

            Resource(String name) {
                this.name = name;
                log.append(name);
            }

            @Override
            public void close() {
                log.append('/').append(name);
                throw new IllegalStateException("closing " + name);
            }
        }
        try (Resource a = new Resource("a"); Resource b = new Resource("b")) {
            log.append(a.name.length() + b.name.length());
            throw new IllegalArgumentException("body");
        } catch (RuntimeException e) {
            return log.append(e.getMessage()).append(e.getSuppressed().length).toString();
        }
    }

    @SuppressWarnings("finally")
    int finallyReturns() {
        for (int i = 0; ; i++) {
            try {
                if (i == 2) {
                    throw new IllegalStateException();
                }
                continue;
            } catch (IllegalStateException e) {
                return i;
            } finally {
                secret++;
                if (i == 2) {
                    return secret;
                }
            }
        }
    }

    int loops() {
        int count = 0;
        outer:
        for (int i = 0; i < 10; i++) {
            for (int j = 0; j < 10; j++) {
                if (j > i) {
                    continue outer;
                }
                if (i * j > 30) {
                    break outer;
                }
                count += i ^ j;
            }
        }
        do {
            count -= 7;
        } while (count > 0);
        return count;
    }

    String matches(Object o) {
        if (o instanceof String s && s.length() > 2) {
            return s.substring(1);
        } else if (o instanceof Point p) {
            return "p" + p.x();
        }
        return o instanceof Integer i ? "i" + (i + 1) : "-" + o;
    }

    static int add(Integer a, long b) {
        return a + (int) b;
    }

    BiFunction<Integer, String, String> curry() {
        return (n, s) -> s.repeat(n) + secret;
    }

    native int missing();

    static native void gone(int a, Object b);

    String catchesMissing() {
        try {
            gone(1, this);
            return "there";
        } catch (UnsatisfiedLinkError e) {
            return "gone";
        }
    }

    String text() {
        return """
            a block
              of "text" %s
            """.formatted(secret).strip();
    }

    String numbers(byte b, char c, int i, long j, float f, double d) {
        b += 3;
        c++;
        i >>>= 28;
        j = j * 3 % 7;
        return "" + b + c + i + j + (int) (f * 10) + (long) -d + (float) d + (b > c ? 1 : 2L) + (char) (c + 1) + ~i + -d % 2;
    }

    synchronized boolean locked() {
        return Thread.holdsLock(this);
    }

    static synchronized boolean lockedToo() {
        return Thread.holdsLock(Tongue.class);
    }
}
