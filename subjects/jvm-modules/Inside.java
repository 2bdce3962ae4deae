package app;

/** Inside. */
class Inside {
    private final int number;

    Inside(int number) {
        this.number = number;
    }

    int twice() {
        return Math.multiplyExact(2, number);
    }

    String reads() {
        return Main.reads(Inside.class.getModule());
    }

    boolean opens() {
        Module own = getClass().getModule();
        return own.isOpen("app") || own.isExported("app", Object.class.getModule());
    }
}
