import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The outside goes on writing to arrays of its own, and no call tells the inside of that: it has put
 * them into fields of the inside, in every way in which one can, or the inside has taken them from
 * fields, from collections and as arguments, and keeps them in locals, fields and elements.
 */
public class Main {
    public static void main(String[] args) throws ReflectiveOperationException {
        Table table = new Table();
        table.rules = new Rule[3];
        for (int i = 0; i < 3; i++) {
            table.rules[i] = new Rule(i + 5);
        }
        System.out.println(table.sum());
        Rule last = table.rules[2];
        table.rules[2] = table.rules[0];
        System.out.println(table.sum() + " " + table.isLast(last));

        Table.shared = new int[2];
        Table.shared[1] = 9;
        System.out.println(table.shared(1));

        table.any = new String[] {"a", "b"};
        ((String[]) table.any)[0] = "c";
        System.out.println(table.texts());

        table.rows = new long[2][];
        table.rows[1] = new long[] {1, 2};
        System.out.println(table.row(1));
        table.rows[1][0] = 7;
        System.out.println(table.row(1));

        Field field = Table.class.getDeclaredField("bytes");
        byte[] bytes = new byte[2];
        field.set(table, bytes);
        bytes[1] = 3;
        System.out.println(table.bytes());

        VarHandle handle = MethodHandles.lookup().findVarHandle(Table.class, "chars", char[].class);
        char[] chars = new char[3];
        handle.setVolatile(table, chars);
        Arrays.fill(chars, 'x');
        System.out.println(table.chars());

        Source source = new Source();
        Reader reader = new Reader();
        System.out.println(reader.waits(source));
        System.out.println(reader.given(source.numbers, source));
        System.out.println(reader.lends(source));
        reader.keeps(source);
        for (int i = 0; i < 2; i++) {
            source.goesOn();
            System.out.println(reader.kept());
        }
    }
}

/** Outside. */
class Source {
    static int[] common = {10};
    int[] numbers = {20, 21};
    Object any = new int[] {30};
    private int[] borrowed = new int[1];
    final List<int[]> list = new ArrayList<>();

    Source() {
        list.add(new int[] {40});
    }

    int[] numbers() {
        return numbers;
    }

    void borrow(int[] numbers) {
        borrowed = numbers;
    }

    void goesOn() {
        borrowed[0]++;
        common[0]++;
        numbers[0]++;
        ((int[]) any)[0]++;
        list.get(0)[0]++;
    }
}

/** Inside. */
class Reader {
    private final Cell<int[]> cell = new Cell<>();
    private final int[][] rows = new int[2][];
    private final Object[] things = new Object[1];

    String waits(Source source) {
        int[] common = Source.common;
        int[] numbers = source.numbers;
        int[] any = (int[]) source.any;
        int[] element = source.list.get(0);
        int[] next = source.list.iterator().next();
        int[] returned = source.numbers();
        source.goesOn();
        return common[0] + " " + numbers[0] + " " + any[0] + " " + element[0] + " " + next[0] + " "
            + returned[0];
    }

    int given(int[] numbers, Source source) {
        goesOn(source);
        return numbers[0];
    }

    private static void goesOn(Source source) {
        source.goesOn();
    }

    int lends(Source source) {
        int[] mine = {50};
        source.borrow(mine);
        source.goesOn();
        return mine[0];
    }

    void keeps(Source source) {
        cell.content = source.list.get(0);
        rows[1] = Source.common;
        things[0] = source.any;
    }

    String kept() {
        return cell.content[0] + " " + rows[1][0] + " " + ((int[]) things[0])[0];
    }
}

/** Inside. */
class Cell<T> {
    T content;
}

/** Inside. */
class Rule {
    final int number;

    Rule(int number) {
        this.number = number;
    }
}

/** Inside. */
class Table {
    static int[] shared;
    Rule[] rules;
    Object any;
    long[][] rows;
    byte[] bytes;
    char[] chars;

    int sum() {
        int sum = 0;
        for (int i = 0; i < rules.length; i++) {
            Rule rule = rules[i];
            sum += rule.number;
        }
        return sum;
    }

    boolean isLast(Rule rule) {
        return rules[rules.length - 1] == rule;
    }

    int shared(int index) {
        return shared[index];
    }

    String texts() {
        return String.join("", (String[]) any);
    }

    long row(int index) {
        long sum = 0;
        for (long each : rows[index]) {
            sum += each;
        }
        return sum;
    }

    int bytes() {
        byte[] copy = bytes.clone();
        return copy[1];
    }

    String chars() {
        return new String(chars);
    }
}
