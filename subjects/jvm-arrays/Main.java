import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Arrays that cross in either direction and are filled by the other side. */
public class Main {
    static final double[] TABLE = {0.5, Double.NaN};

    public static void main(String[] args) throws IOException {
        Buffers buffers = new Buffers();
        int[] numbers = {1, 2, 3};
        System.out.println(buffers.sum(numbers));
        numbers[1] = 20;
        System.out.println(buffers.sum(numbers));
        System.out.println(buffers.read(new ByteArrayInputStream(new byte[] {7, 8, 9})));
        System.out.println(buffers.sorted());
        System.out.println(buffers.nested(new String[][] {{"a"}, {"b", null}}));
        System.out.println(buffers.table() + " " + buffers.large());
        System.out.println(Arrays.toString(buffers.made()) + buffers.varargs());
        System.out.println(buffers.fails());
    }

    static long[] large() {
        long[] large = new long[3000];
        large[2999] = 5;
        return large;
    }

    static void failing(int[] a) {
        a[0] = 9;
        throw new IllegalStateException();
    }
}

class Buffers {
    int sum(int[] numbers) {
        int sum = 0;
        for (int n : numbers) {
            sum += n;
        }
        return sum;
    }

    String read(InputStream in) throws IOException {
        byte[] bytes = new byte[8];
        int count = in.read(bytes, 2, 6);
        return count + ":" + bytes[2] + bytes[4];
    }

    String sorted() {
        String[] words = {"c", "a", "b"};
        Arrays.sort(words);
        return words[0] + words[1] + words[2];
    }

    String nested(String[][] words) {
        return words[1][0] + words[1].length;
    }

    double table() {
        return Main.TABLE[0];
    }

    long large() {
        long[] large = Main.large();
        return large[2999] + large.clone()[0];
    }

    char[] made() {
        char[] made = "made".toCharArray();
        char[] copy = new char[2];
        System.arraycopy(made, 1, copy, 0, 2);
        return copy;
    }

    int varargs() {
        return Arrays.asList("x", "y").size();
    }

    int fails() {
        int[] a = {1};
        try {
            Main.failing(a);
        } catch (IllegalStateException e) {
            return a[0];
        }
        return 0;
    }
}
