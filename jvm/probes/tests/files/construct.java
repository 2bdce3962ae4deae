class Inside extends Thread {
    Inside(String name) {
        super(name);
    }

    Object make() {
        return new Outside(new Outside(null));
    }
}

class Outside {
    Outside(Outside o) {}
}
