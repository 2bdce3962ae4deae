class Inside {
    int own;

    void move(Outside o) {
        own = o.value;
        o.wide = Outside.shared;
        Outside.shared = own;
    }
}

class Outside {
    int value;
    long wide;
    static int shared;
}
