/** Constructors with an outside superclass that calls back before the object is born. */
public class Main {
    public static void main(String[] args) {
        Child child = new Child("c");
        System.out.println(child.name() + child.seen);
        System.out.println(Maker.make().name());
        System.out.println(new Child(1, 2).name());
        try {
            new Child((String) null);
        } catch (IllegalArgumentException e) {
            System.out.println("refused");
        }
        System.out.println(new Child("after").name());
        // The same where another inside constructor or an inside method has called it.
        try {
            new Child(0, -1);
        } catch (IllegalArgumentException e) {
            System.out.println("refused " + e.getMessage());
        }
        System.out.println(new Child("then").name());
        try {
            Maker.make(null);
        } catch (IllegalArgumentException e) {
            System.out.println("refused " + e.getMessage());
        }
        System.out.println(new Child("at last").name());
        System.out.println(Maker.makeOr(null).name());
    }
}

abstract class Base {
    private final String name;

    Base(String name) {
        if (name == null) {
            throw new IllegalArgumentException("no name");
        }
        this.name = name + suffix();
    }

    abstract String suffix();

    String name() {
        return name;
    }
}

class Child extends Base {
    int seen;

    Child(String name) {
        super(name);
        seen += 1;
    }

    Child(int a, int b) {
        this(a + b < 0 ? null : Integer.toString(a + b));
        seen += 10;
    }

    @Override
    String suffix() {
        return "!";
    }
}

class Maker {
    static Base make(String name) {
        return new Child(name);
    }

    static Base makeOr(String name) {
        try {
            return make(name);
        } catch (IllegalArgumentException e) {
            return new Child("or");
        }
    }

    static Base make() {
        StringBuilder text = new StringBuilder(new String(new char[] {'m'}));
        new Object();
        new StringBuilder();
        return new Child(text.append(1 > 0 ? new StringBuilder("x") : "y").toString());
    }
}
