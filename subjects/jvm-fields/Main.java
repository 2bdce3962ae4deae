import java.util.AbstractList;

/** Fields across the boundary, in both directions, inherited and static. */
public class Main {
    static int shared = 1;
    long wide = 2;
    Object thing = "thing";

    public static void main(String[] args) {
        Main main = new Main();
        Counter counter = new Counter();
        counter.value = 5;
        counter.wide = 6L;
        counter.text = "from outside";
        Counter.total = 2.5;
        System.out.println(counter.reads(main));
        counter.writes(main);
        System.out.println(shared + " " + main.wide + " " + main.thing);
        System.out.println(counter.own() + " " + new Sized().bump());
    }
}

class Counter {
    int value;
    long wide;
    String text;
    static double total;

    String reads(Main main) {
        return text + Main.shared + main.wide + value + wide + total + (String) main.thing;
    }

    void writes(Main main) {
        Main.shared = 10;
        main.wide = 20L;
        main.thing = this.text;
    }

    int own() {
        value += 1;
        return value;
    }
}

/** modCount is declared outside, although javac names Sized as its owner. */
class Sized extends AbstractList<String> {
    int bump() {
        modCount += 3;
        return this.modCount;
    }

    @Override
    public String get(int index) {
        return "x";
    }

    @Override
    public int size() {
        return 1;
    }
}
