class Inside {
    int count;

    static void bare() {}

    long sum(int a, long b, Object c) {
        return a + b;
    }

    protected void finalize() {}

    native void outside();
}
