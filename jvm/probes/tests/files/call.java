class Inside {
    int length(java.util.List<String> list, int at) {
        return list.get(at).length() + own();
    }

    private int own() {
        return 1;
    }

    void print() {
        Outside.print("x", 2L);
    }
}

class Outside {
    static void print(String s, long j) {}
}
