import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Arrays of arrays and of objects, copied, cloned, spread and filled on both sides. */
public class Main {
    static final int[][] BOARD = {{1, 2}, {3, 4}};
    int[] row = {5, 6};

    public static void main(String[] args) throws Exception {
        Matrix matrix = new Matrix(2);
        System.out.println(matrix.trace(new double[][] {{1, 2}, {3, 4}}));
        System.out.println(Arrays.deepToString(matrix.transposed(BOARD)) + Arrays.deepToString(BOARD));
        Main main = new Main();
        System.out.println(matrix.row(main) + " " + main.row[0]);
        System.out.println(matrix.varargs());
        System.out.println(matrix.copies(new String[] {"a", "b", "c"}));
        System.out.println(matrix.listed());
        System.out.println(matrix.filled());
        System.out.println(matrix.types());
        System.out.println(matrix.spread("%s-%s", "x", 4));
        Object[] mixed = {matrix, new Matrix(1), new int[] {9}, null};
        System.out.println(matrix.mixed(mixed) + " " + (mixed[3] == matrix));
        System.out.println(matrix.empty(new String[0]).length + matrix.cube().length);
        System.out.println(matrix.bytes());
    }

    static int count(Object... all) {
        int count = all.length;
        if (count > 0) {
            all[0] = "replaced";
        }
        return count;
    }

    static void swap(int[][] rows) {
        int[] first = rows[0];
        rows[0] = rows[1];
        rows[1] = first;
        first[0] = -1;
    }
}

class Matrix implements Comparable<Matrix> {
    private final int size;

    Matrix(int size) {
        this.size = size;
    }

    double trace(double[][] cells) {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += cells[i][i];
        }
        return sum;
    }

    int[][] transposed(int[][] cells) {
        int[][] result = new int[2][2];
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                result[j][i] = cells[i][j];
            }
        }
        Main.swap(result);
        cells[0][1] = result[1][0];
        return result;
    }

    int row(Main main) {
        int[] row = main.row;
        row[0] = 50;
        return row[0] + row[1] + main.row[0];
    }

    String varargs() {
        Object[] three = {1, "two", 3L};
        return Main.count() + " " + Main.count(1, 2) + " " + Main.count(three) + three[0] + Main.count((Object) three);
    }

    String copies(String[] words) {
        String[] copy = words.clone();
        System.arraycopy(words, 0, copy, 1, 2);
        copy[0] = "z";
        String[] longer = Arrays.copyOf(words, 4);
        Object[] range = Arrays.copyOfRange(words, 1, 3, Object[].class);
        int[][] deep = {{1}, {2}};
        int[][] shallow = deep.clone();
        shallow[0][0] = 7;
        boolean same = Arrays.equals(copy, words);
        return String.join(",", copy) + longer[3] + range[0] + deep[0][0] + same + Arrays.hashCode(copy);
    }

    String listed() {
        List<Matrix> list = new ArrayList<>(Arrays.asList(new Matrix(3), this, new Matrix(1)));
        Collections.sort(list);
        Matrix[] sorted = list.toArray(new Matrix[0]);
        Matrix[] room = list.toArray(new Matrix[5]);
        Object[] plain = list.toArray();
        List<Integer> through = Arrays.asList(4, 5, 6);
        Integer[] backing = {1, 2, 3};
        List<Integer> view = Arrays.asList(backing);
        view.set(1, 20);
        return sorted[0].size + "" + (room[3] == null) + (plain[1] == sorted[1]) + through.get(2) + backing[1];
    }

    String filled() {
        char[] chars = new char[4];
        "abcdef".getChars(1, 5, chars, 0);
        byte[] bytes = new byte[4];
        java.nio.ByteBuffer.wrap(bytes).putInt(0x01020304);
        new java.util.Random(5).nextBytes(bytes);
        long[] longs = new long[3];
        Arrays.setAll(longs, i -> i * 10L);
        Arrays.fill(longs, 0, 1, 5L);
        int[] sorted = {3, 1, 2};
        Arrays.sort(sorted);
        return new String(chars) + bytes[0] + longs[0] + longs[2] + Arrays.binarySearch(sorted, 3) + String.valueOf(chars, 1, 2);
    }

    String types() {
        Object[] strings = new String[1];
        try {
            strings[0] = 1;
            return "stored";
        } catch (ArrayStoreException e) {
            boolean[] flags = {true};
            short[] shorts = {-1};
            float[] floats = {1.5f};
            return e.getMessage() + strings.getClass().getName() + flags.getClass().getSimpleName() + shorts[0] + floats[0]
                + (strings instanceof String[]) + int[][].class.getComponentType();
        }
    }

    String spread(String format, Object... values) {
        return String.format(format, values) + values.length;
    }

    int mixed(Object[] mixed) {
        mixed[3] = this;
        return ((Matrix) mixed[0]).size + ((Matrix) mixed[1]).size + ((int[]) mixed[2])[0];
    }

    String[] empty(String[] none) {
        return none;
    }

    int[][][] cube() {
        return new int[3][2][];
    }

    int bytes() {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        byte[] some = {1, 2, 3};
        out.write(some, 0, 3);
        some[0] = 9;
        return out.toByteArray()[0] + out.size();
    }

    @Override
    public int compareTo(Matrix other) {
        return Integer.compare(size, other.size);
    }
}
