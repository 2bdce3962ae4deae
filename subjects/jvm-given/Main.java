import java.util.Arrays;
import java.util.List;

/**
 * Arrays that the inside holds and gives out again and again, and writes to
 * between: the outside finds in them what is new, and writes to them during the
 * call and later.
 */
public class Main {
    private static Part[] seen = new Part[0];
    private static int[] numbers = new int[0];

    public static void main(String[] args) {
        Box box = new Box();
        for (int i = 0; i < 6; i++) {
            box.add("part " + i);
            System.out.println(newest().name() + " " + box.has(newest()));
        }
        seen[0] = seen[5];
        System.out.println(box.names());
        box.sort();
        System.out.println(box.names() + seen[0].name());
        box.fillUp();
        System.out.println(box.has(seen[7]) + seen[7].name() + box.has(seen[6]));
        for (int i = 0; i < 3; i++) {
            System.out.println(box.count());
            numbers[3] = 7 * i;
        }
        System.out.println(box.sum());
        System.out.println(Box.FIRST.name() + Box.SECOND.name() + Box.known());
        System.out.println(box.rows());
    }

    static void take(Part[] parts) {
        seen = parts;
    }

    static Part newest() {
        Part newest = null;
        for (Part part : seen) {
            newest = part == null ? newest : part;
        }
        return newest;
    }

    static void count(int[] into) {
        numbers = into;
        into[0]++;
        into[1] += into[0];
    }

    static String nameOf(Part[][] rows, int at) {
        rows[0][1] = rows[at][0];
        return rows[at][0].name();
    }

    static Part pick(Part[] parts, int at) {
        return parts[at];
    }
}

class Part {
    private final String name;

    Part(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }
}

class Box {
    private static final Part[] KNOWN = new Part[2];
    static final Part FIRST;
    static final Part SECOND;

    static {
        KNOWN[0] = new Part("first");
        FIRST = Main.pick(KNOWN, 0);
        KNOWN[1] = new Part("second");
        SECOND = Main.pick(KNOWN, 1);
    }

    private final Part[] parts = new Part[8];
    private final Part[][] rows = {new Part[2], new Part[2]};
    private final int[] counts = new int[40];
    private int size;

    static boolean known() {
        return KNOWN[0] == FIRST && KNOWN[1] == SECOND;
    }

    void add(String name) {
        parts[size++] = new Part(name);
        Main.take(parts);
    }

    boolean has(Part part) {
        return Arrays.asList(parts).contains(part);
    }

    List<String> names() {
        String[] names = new String[size];
        for (int i = 0; i < size; i++) {
            names[i] = parts[i].name();
        }
        return Arrays.asList(names);
    }

    /** What the JDK moves for the inside, the inside has written. */
    void sort() {
        System.arraycopy(parts, 0, parts, 1, size - 1);
        parts[0] = new Part("another first");
        Main.take(parts);
    }

    void fillUp() {
        Arrays.fill(parts, size, parts.length, new Part("filled up"));
        Main.take(parts);
    }

    String count() {
        Main.count(counts);
        return counts[0] + " " + counts[1] + " " + counts[3];
    }

    int sum() {
        int sum = 0;
        for (int count : counts) {
            sum += count;
        }
        return sum;
    }

    String rows() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            rows[1][0] = new Part("row " + i);
            text.append(Main.nameOf(rows, 1)).append(rows[0][1] == rows[1][0] ? " same " : " other ");
        }
        return text.toString();
    }
}
