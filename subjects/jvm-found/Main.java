// Inside objects that the outside finds in inside fields, with no call between: they
// come back in as what they are, and not as others that look the same.

import java.util.function.Function;

public class Main {
    public static void main(String[] arguments) {
        Kind round = Kind.ROUND;
        System.out.println(new Shapes().isRound(round));
        Shapes shapes = new Shapes();
        System.out.println(shapes.isLast(shapes.last));
        System.out.println(shapes.isLast(new Borrowed().last));
        System.out.println(shapes.isAny(Kind.ANY) + " " + shapes.name(Kind.ROUND.next));
        // Lambdas, too, whose classes nobody has written.
        System.out.println(shapes.isPlain(Shapes.PLAIN) + " " + Shapes.PLAIN.apply("p"));
        System.out.println(shapes.isOwn(shapes.own) + " " + shapes.own.apply("o"));
        System.out.println(shapes.isPlain(new Borrowed().plain()));
    }
}

class Kind {
    static final Kind ROUND = new Kind("round");
    static final Object ANY = ROUND.next;
    final String name;
    final Kind next;

    Kind(String name) {
        this.name = name;
        next = name.length() > 8 ? this : new Kind(name + name);
    }
}

class Shapes {
    static final Function<String, String> PLAIN = text -> text + ".";
    Kind last = new Kind("last");
    final Function<String, String> own = text -> text + last.name;

    boolean isPlain(Function<String, String> function) {
        return function == PLAIN;
    }

    boolean isOwn(Function<String, String> function) {
        return function == own;
    }

    boolean isRound(Kind kind) {
        return kind == Kind.ROUND;
    }

    boolean isLast(Kind kind) {
        return kind == last;
    }

    boolean isAny(Object any) {
        return any == Kind.ROUND.next;
    }

    String name(Kind kind) {
        return kind == Kind.ANY ? kind.name : "?";
    }
}

class Borrowed extends Shapes {
    Borrowed() {
        last = super.last;
    }

    Function<String, String> plain() {
        return PLAIN;
    }
}
