// A text is appended to another while it is made shorter. Fails with an exception.

public class Appended {
    private char[] letters = "abc".toCharArray();

    synchronized int length() {
        return letters.length;
    }

    synchronized void get(char[] to, int count) {
        System.arraycopy(letters, 0, to, 0, count);
    }

    synchronized void clear() {
        letters = new char[0];
    }

    public static void main(String[] arguments) throws Exception {
        Appended text = new Appended();
        Thread clears = new Thread(text::clear);
        clears.start();
        int length = text.length();
        text.get(new char[length], length);
        clears.join();
    }
}
