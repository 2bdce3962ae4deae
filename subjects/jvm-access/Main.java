import q.Use;

/** Types that whoever gets their objects may not name, and functions that are made in several places. */
public class Main {
    public static void main(String[] args) {
        System.out.println(new Use().build("a"));
        System.out.println(new Use().functions(java.util.Optional.of("true")));
    }
}
