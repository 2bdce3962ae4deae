import java.util.Arrays;

/** Arrays that one side keeps and the other writes to later, with no call that names them. */
public class Main {
    static int[] kept;
    static Object[] things;

    public static void main(String[] args) {
        Pupil pupil = new Pupil();
        // Given by the outside, kept inside, written outside.
        int[] marks = {1, 2, 3};
        pupil.keep(marks);
        marks[1] = 20;
        System.out.println(pupil.sum());
        marks[2] = 30;
        System.out.println(pupil.sum());
        // Made inside, kept outside, written outside.
        pupil.hands();
        kept[0] = 7;
        things[1] = "late";
        System.out.println(pupil.mine());
        things[0] = pupil;
        System.out.println(pupil.mine());
        // Written inside, read and written again outside.
        pupil.writes();
        System.out.println(kept[2] + " " + marks[0] + " " + Arrays.toString(things).length() % 1);
        marks[0] += 1;
        System.out.println(pupil.sum());
        // While an outcall is open that does not name the array.
        System.out.println(pupil.asks());
        // Within an array of arrays.
        int[][] grid = {{1}, {2}};
        pupil.keep(grid);
        grid[0][0] = 5;
        grid[1] = new int[] {6, 7};
        System.out.println(pupil.corner());
        // Given back as a result.
        int[] own = pupil.own();
        own[3] = 44;
        System.out.println(pupil.fourth());
    }

    static void keep(int[] numbers, Object[] others) {
        kept = numbers;
        things = others;
    }

    static int answer() {
        kept[1] = 99;
        return 1;
    }
}

class Pupil {
    private int[] marks;
    private int[][] grid;
    private final int[] mine = new int[3];
    private final Object[] things = {null, null};
    private final int[] own = new int[4];

    void keep(int[] marks) {
        this.marks = marks;
    }

    void keep(int[][] grid) {
        this.grid = grid;
    }

    int sum() {
        int sum = 0;
        for (int mark : marks) {
            sum += mark;
        }
        return sum;
    }

    void hands() {
        Main.keep(mine, things);
    }

    String mine() {
        return mine[0] + (String) things[1] + (things[0] == this);
    }

    void writes() {
        mine[2] = 8;
        marks[0] = 100;
    }

    int asks() {
        int before = mine[1];
        int answer = Main.answer();
        return before + answer + mine[1];
    }

    int corner() {
        return grid[0][0] + grid[1].length + grid[1][1];
    }

    int[] own() {
        return own;
    }

    int fourth() {
        return own[3];
    }
}
