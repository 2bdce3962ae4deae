import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Outside subclasses of an inside class: known at the start, and loaded later by another loader. */
public class Main {
    public static void main(String[] args) throws Exception {
        Shape circle = new Circle(2);
        System.out.println(circle.describe() + circle.scaled(3).describe() + Shape.count);
        System.out.println(Shape.sum(circle, new Shape("dot"), Shape.unit()));
        URL here = new File(".").toURI().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {here}, Main.class.getClassLoader())) {
            Object late = loader.loadClass("Late").getDeclaredConstructor(int.class).newInstance(4);
            System.out.println(((Shape) late).describe() + Shape.sum((Shape) late));
            System.out.println(((Shape) late).twin().describe() + late.equals(late));
        }
        Shape anonymous = new Shape("any") {
            @Override
            public int area() {
                return name.length() + super.area() + bonus;
            }
        };
        anonymous.name = "changed";
        anonymous.bonus += 5;
        System.out.println(Shape.sum(anonymous) + anonymous.describe());
        try {
            new Refusing();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + Shape.count);
        }
        System.out.println(new Circle(5).describe() + circle.visit(new Visitor()));
    }
}

class Circle extends Shape {
    final int radius;

    Circle(int radius) {
        super("circle");
        this.radius = radius;
        bonus = radius;
    }

    @Override
    public int area() {
        return 3 * radius * radius + super.area();
    }

    @Override
    public Shape scaled(int by) {
        return new Circle(radius * by);
    }
}

class Refusing extends Shape {
    Refusing() {
        super("no");
        throw new IllegalStateException("refused " + area());
    }
}

class Visitor implements Shape.Guest {
    @Override
    public String meet(Shape shape) {
        return shape.name + Shape.Guest.super.meet(shape);
    }
}
