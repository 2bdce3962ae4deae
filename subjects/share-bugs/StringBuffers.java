// One buffer is appended to another: its length is asked for, and then its characters, while
// a third thread makes it shorter.

public class StringBuffers {
    static final class Text {
        private char[] characters = "abcdef".toCharArray();
        private int length = 6;

        synchronized int length() {
            return length;
        }

        synchronized char at(int place) {
            if (place >= length) {
                throw new StringIndexOutOfBoundsException(place);
            }
            return characters[place];
        }

        synchronized void delete(int left) {
            length = left;
        }

        void append(Text other) {
            int more = other.length();
            Noise.make();
            for (int at = 0; at < more; at++) {
                add(other.at(at));
            }
        }

        private synchronized void add(char character) {
            if (length == characters.length) {
                characters = java.util.Arrays.copyOf(characters, 2 * length);
            }
            characters[length++] = character;
        }
    }

    private static final Text ONE = new Text();
    private static final Text TWO = new Text();

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> ONE.append(TWO), () -> {
            Noise.make();
            TWO.delete(2);
        });
    }
}
