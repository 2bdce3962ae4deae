/** An array that waits in a local of the inside while the outside, which has it too, goes on writing. */
public class Main {
    public static void main(String[] args) {
        System.out.println(new Inside().drains(new Bag("a", "b", "c")));
        System.out.println(new Inside().drains(new Bag("x")));
    }
}

class Bag {
    private final Object[] elements;
    private int size;

    Bag(Object... elements) {
        this.elements = elements;
        size = elements.length;
    }

    Object[] elements() {
        return elements;
    }

    int size() {
        return size;
    }

    void remove(int index) {
        size--;
        System.arraycopy(elements, index + 1, elements, index, size - index);
        elements[size] = null;
    }
}

class Inside {
    String drains(Bag bag) {
        StringBuilder seen = new StringBuilder();
        Object[] elements = bag.elements();
        while (bag.size() > 0) {
            seen.append(elements[0]).append(elements[elements.length - 1]);
            bag.remove(0);
        }
        return seen.toString() + elements[0];
    }
}
