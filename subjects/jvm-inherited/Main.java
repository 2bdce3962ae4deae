// Static members that an inside class has from an outside one, named through the
// inside class; fields of an inside class that an outside subclass writes, named
// through the subclass; clone() on this.
import java.util.Arrays;

public class Main {
    public static void main(String[] arguments) throws Exception {
        System.out.println(new Middle().twice(4));
        System.out.println(new Leaf().read());
        System.out.println(Middle.LIMITS[1] + " " + Leaf.written() + " " + Root.written);
        Below below = new Below();
        below.turn(7);
        new Friend().turn(below);
        System.out.println(below.sum() + " " + Turned.shared());
        System.out.println(new Leaf().copy().read());
    }
}

class Root {
    static final int[] LIMITS = {3, 5, 8};
    static int written;

    static int scaled(int number) {
        return number * LIMITS.length;
    }
}

class Middle extends Root {
    int twice(int number) {
        return 2 * scaled(number) + LIMITS[0];
    }

    static int own(int number) {
        return number + 1;
    }
}

class Leaf extends Middle implements Cloneable {
    private int[] read = {1, 2};

    String read() {
        Leaf.written = own(Leaf.scaled(LIMITS.length));
        return Arrays.toString(read) + Leaf.LIMITS[2];
    }

    static int written() {
        return Leaf.written;
    }

    Leaf copy() throws CloneNotSupportedException {
        return (Leaf) clone();
    }
}

class Turned {
    int count;
    static int shared;

    int sum() {
        return count + shared;
    }

    static int shared() {
        return shared;
    }
}

class Below extends Turned {
    void turn(int number) {
        count = number;
        shared = number * 10;
    }
}

class Friend {
    void turn(Below below) {
        below.count++;
        Below.shared++;
    }
}
