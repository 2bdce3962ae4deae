/** Inside, three times. */
public class Twin {
    private static int total = 1;

    public int count(int n) {
        total += n;
        return total + getClass().getName().length();
    }
}
