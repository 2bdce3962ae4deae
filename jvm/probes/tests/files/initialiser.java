class Inside {
    static int next() {
        return 1;
    }
}

class Outside {
    static int value = Inside.next();

    static {
        if (value > 1) {
            value = 0;
        }
    }

    int other() {
        return Inside.next();
    }
}
