import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.IntBuffer;

/** Arrays of buffers: the JDK gives them away and goes on writing to them, wherever they are read. */
public class Main {
    public static void main(String[] args) {
        Words words = new Words();
        System.out.println(words.sum(ByteBuffer.wrap(new byte[] {104, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100})));
        System.out.println(words.turned("some text", CharBuffer.allocate(16)));
        System.out.println(Words.squares(IntBuffer.allocate(5)));
    }
}

class Words {
    private final ByteBuffer buffer = ByteBuffer.allocate(8);

    int sum(ByteBuffer from) {
        byte[] bytes = buffer.array();
        int sum = 0;
        while (from.hasRemaining()) {
            int count = fill(from, Math.min(from.remaining(), 5));
            for (int i = 0; i < count; i++) {
                sum = sum * 31 + at(bytes, i);
            }
        }
        return sum;
    }

    private int fill(ByteBuffer from, int count) {
        buffer.clear();
        for (int i = 0; i < count; i++) {
            buffer.put(from.get());
        }
        return count;
    }

    private static int at(byte[] bytes, int i) {
        return bytes[i] & 0xff;
    }

    String turned(String text, CharBuffer chars) {
        char[] array = chars.array();
        chars.put(text);
        StringBuilder turned = new StringBuilder();
        for (int i = text.length() - 1; i >= 0; i--) {
            turned.append(array[i]);
        }
        return turned.toString();
    }

    static int squares(IntBuffer numbers) {
        int[] array = numbers.array();
        for (int i = 0; i < array.length; i++) {
            array[i] = i;
        }
        int sum = 0;
        for (int i = 0; i < array.length; i++) {
            numbers.put(i, numbers.get(i) * array[i]);
            sum += array[i];
        }
        return sum;
    }
}
