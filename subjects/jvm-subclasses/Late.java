/** Outside, and loaded when the program has run for a while. */
public class Late extends Shape {
    private final int side;

    public Late(int side) {
        super("late");
        this.side = side;
        bonus = 3;
    }

    @Override
    public int area() {
        return side * side;
    }

    @Override
    protected Shape twin() {
        Shape twin = super.twin();
        twin.name += side;
        return twin;
    }
}
