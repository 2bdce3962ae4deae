class Inside {
    int value;
    static long wide;
}

class Outside {
    void write(Inside inside) {
        inside.value = 1;
        Inside.wide = 2;
    }
}
