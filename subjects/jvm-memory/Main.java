import java.util.ArrayList;
import java.util.List;

/** There is not enough memory: inside, outside while it was called, and between. */
public class Main {
    public static void main(String[] args) {
        Inside inside = new Inside();
        System.out.println(inside.arrays());
        System.out.println(inside.grid());
        System.out.println(inside.asks());
        System.out.println(inside.fills());
        try {
            inside.falls();
        } catch (OutOfMemoryError e) {
            System.out.println("main caught it");
        }
        System.out.println(inside.after());
    }

    static long[] outside(int length) {
        return new long[length];
    }

    static int fill() {
        List<long[]> all = new ArrayList<>();
        while (true) {
            all.add(new long[1 << 20]);
        }
    }
}

class Inside {
    private int failed;

    /** More than any array may have, or more than there is. */
    String arrays() {
        String text = "";
        for (int length : new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE - 8, 5}) {
            try {
                text += new long[length].length + " ";
            } catch (OutOfMemoryError e) {
                failed++;
                text += e.getMessage() + " ";
            }
        }
        return text + failed;
    }

    String grid() {
        try {
            return "" + new int[Integer.MAX_VALUE][1].length;
        } catch (OutOfMemoryError e) {
            return "no grid";
        }
    }

    String asks() {
        try {
            return "" + Main.outside(Integer.MAX_VALUE).length;
        } catch (OutOfMemoryError e) {
            return e.getMessage();
        }
    }

    /** The outside does, until the heap is full. */
    String fills() {
        try {
            return "" + Main.fill();
        } catch (OutOfMemoryError e) {
            failed++;
        }
        return "filled " + failed;
    }

    int falls() {
        int[][] rows = new int[Integer.MAX_VALUE / 2][];
        return rows.length;
    }

    int after() {
        return failed;
    }
}
