/** Inside. */
public class Shape {
    static int count;
    protected String name;
    protected int bonus;

    protected Shape(String name) {
        this.name = name;
        count++;
        bonus = area() > 100 ? 1 : 0;
    }

    public int area() {
        return 1;
    }

    public Shape scaled(int by) {
        return this;
    }

    static Shape unit() {
        return new Shape("unit");
    }

    static int sum(Shape... shapes) {
        int sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area() + shape.bonus;
        }
        return sum;
    }

    String describe() {
        return name + ":" + area() + ":" + bonus + " ";
    }

    protected Shape twin() {
        return new Shape(name + "'");
    }

    String visit(Guest guest) {
        return guest.meet(this);
    }

    interface Guest {
        default String meet(Shape shape) {
            return "met " + shape.area();
        }
    }
}
