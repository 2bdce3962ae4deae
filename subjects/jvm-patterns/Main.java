import java.util.List;

/** `switch` on patterns, nested record patterns, guards, and sealed types without a default. */
public class Main {
    public static void main(String[] args) {
        Object[] all = {new Dot(1, 2), new Line(new Dot(0, 0), new Dot(3, 4)), "text", "", 42, -1L, null, List.of(1), Color.RED, Other.A,
            new int[] {1, 2}, new Pair<>("a", new Pair<>(1, 2)), 'c', Main.class};
        for (Object o : all) {
            System.out.println(Matcher.describe(o));
        }
        System.out.println(Matcher.length(new Line(new Dot(0, 0), new Dot(3, 4))) + Matcher.length(new Dot(9, 9)));
        System.out.println(Matcher.mixes(Color.BLUE) + Matcher.mixes(Other.B));
        try {
            Matcher.nothing(null);
        } catch (NullPointerException e) {
            System.out.println("nothing");
        }
    }
}

/** Outside. */
enum Color { RED, BLUE }

/** Outside. */
enum Other { A, B }

sealed interface Form permits Dot, Line {}

record Dot(int x, int y) implements Form {}

record Line(Dot from, Dot to) implements Form {}

record Pair<A, B>(A first, B second) {}

class Matcher {
    static String describe(Object o) {
        return switch (o) {
            case null -> "null";
            case Dot(int x, int y) when x == y -> "diagonal " + x;
            case Dot(var x, var y) -> "dot " + (x + y);
            case Line(Dot(int a, int b), Dot to) -> "line " + a + b + to.x();
            case String s when s.isEmpty() -> "empty";
            case String s -> s.toUpperCase(java.util.Locale.ROOT);
            case Integer i when i > 40 -> "large " + i;
            case Integer i -> "int " + i;
            case Long l -> "long " + -l;
            case Color c -> c.name() + c.ordinal();
            case Pair<?, ?>(String s, Pair<?, ?>(Integer i, var j)) -> s + i + j;
            case int[] cells -> "cells " + cells.length;
            case List<?> list -> "list " + list.size() + list.get(0);
            case Character c -> "char " + (char) (c + 1);
            default -> "other " + o.getClass().getSimpleName();
        };
    }

    static double length(Form form) {
        return switch (form) {
            case Dot d -> 0;
            case Line(Dot(var a, var b), Dot(var c, var d)) -> Math.sqrt((c - a) * (c - a) + (d - b) * (d - b));
        };
    }

    static int mixes(Object o) {
        return switch (o) {
            case Color c when c == Color.BLUE -> 1;
            case Color c -> 2;
            case Other other -> switch (other) {
                case A -> 3;
                case B -> 4;
            };
            default -> 0;
        };
    }

    static int nothing(Form form) {
        return switch (form) {
            case Dot d -> 1;
            case Line l -> 2;
        };
    }
}
