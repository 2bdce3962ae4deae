/**
 * What the outside finds in arrays of the inside: objects that were never
 * mentioned, put there by the inside after the array went out; and arrays in
 * fields of the inside, which the outside reads and writes to.
 */
public class Main {
    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        Item[] items = shelf.items();
        shelf.put(0, "a");
        Item first = items[0];
        System.out.println(first.title() + shelf.has(first));
        Item[][] rows = shelf.rows();
        shelf.fill();
        System.out.println(shelf.has(rows[1][0]) + rows[1][0].title());
        for (Item item : items) {
            System.out.println(item == null ? "none" : item.title() + shelf.has(item));
        }
        items[1] = new Item("mine");
        System.out.println(shelf.at(1) + shelf.has(items[1]));
        shelf.counts[1] = 5;
        shelf.labels[0] = "label";
        System.out.println(shelf.counted());
        Item[] more = shelf.more;
        System.out.println(shelf.has(more[0]) + more[0].title() + shelf.hasMore(more[0]));
        shelf.renew();
        System.out.println(shelf.hasMore(more[0]) + " " + shelf.hasMore(shelf.more[0]));
        Object[] copy = items.clone();
        System.out.println(((Item) copy[2]).title() + shelf.has((Item) copy[2]));
        lends(shelf);
    }

    /** What the outside puts into an array of its own is nothing that the inside gives it. */
    private static void lends(Shelf shelf) {
        Object[] lent = new Object[4];
        shelf.takes(lent);
        lent[0] = new StringBuilder("new");
        System.out.println(shelf.lent() == lent);
        lent[1] = new Main();
        System.out.println(shelf.lent() == lent);
        Object key = shelf.key();
        System.out.println(shelf.isKey(key) + " " + (shelf.lent() == lent) + shelf.isKey(lent[2]));
        System.out.println(shelf.fails().getMessage() + " " + shelf.isKey(lent[3]));
    }
}

class Item {
    private final String title;

    Item(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}

class Shelf {
    private Object[] lent;
    private Object key;

    void takes(Object[] array) {
        lent = array;
    }

    Object[] lent() {
        return lent;
    }

    /** An object of the outside that it has made itself, and put into the array before anybody knew it. */
    Object key() {
        key = new Object();
        lent[2] = key;
        lent();
        return key;
    }

    boolean isKey(Object object) {
        return object == key;
    }

    Throwable fails() {
        try {
            key = ((Object[]) key)[0];
            return null;
        } catch (ClassCastException thrown) {
            lent[3] = thrown;
            key = thrown;
            return lent.length > 3 ? thrown : null;
        }
    }

    private final Item[] items = new Item[3];
    private final Item[][] rows = new Item[2][1];
    final int[] counts = new int[2];
    final String[] labels = new String[1];
    Item[] more = {new Item("more")};

    Item[] items() {
        return items;
    }

    Item[][] rows() {
        return rows;
    }

    void put(int at, String title) {
        items[at] = new Item(title);
    }

    void fill() {
        items[1] = new Item("b");
        items[2] = new Item("c");
        rows[1][0] = items[1];
    }

    String at(int index) {
        return items[index].title();
    }

    String counted() {
        return counts[1] + labels[0];
    }

    boolean hasMore(Item item) {
        return more[0] == item;
    }

    void renew() {
        more = new Item[] {new Item("new")};
    }

    boolean has(Item item) {
        for (Item mine : items) {
            if (mine == item) {
                return true;
            }
        }
        return false;
    }
}
