package shop;

/** Outside, in the same package. */
class Price {
    static int of(Item item) {
        return item.name.length() * 10;
    }
}

/** Inside, in the same package. */
class Item {
    final String name;

    Item(String name) {
        this.name = name;
    }
}

/** Not in the sealed jar. */
class Late {
    static String name() {
        return "late";
    }
}
