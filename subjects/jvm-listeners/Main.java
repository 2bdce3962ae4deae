import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * References to methods of inside types whose receivers decide where the method is: listeners of
 * the outside that are told by {@code Listener::happened}, and inside ones among them.
 */
public class Main {
    public static void main(String[] args) {
        Bus bus = new Bus();
        bus.add(new Outside(bus));
        bus.add(new Inside());
        bus.add(Bus.quiet());
        bus.tell("one", 1);
        bus.tell("two", 2);
        System.out.println(bus.names());
        System.out.println(bus.first(bus.bound(0)) + " " + bus.first(bus.bound(1)));
        System.out.println(bus.twice(new Below()) + " " + bus.twice(new Shape()));
        System.out.println(bus.madeByHand());
        // What a function of the outside inherits from an inside interface is inside.
        bus.given((on, what, times) -> System.out.println(what + times));
        try {
            bus.fails(new Outside(null));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        try {
            bus.fails(null);
        } catch (NullPointerException e) {
            System.out.println("nothing there");
        }
    }
}

interface Listener {
    void happened(String what, int times);

    String name();
}

/** An inside class that the outside extends. */
class Shape {
    int area() {
        return 5;
    }
}

class Below extends Shape {
    @Override
    int area() {
        return super.area() * 2;
    }
}

class Outside implements Listener {
    private final Bus bus;
    private int count;

    Outside(Bus bus) {
        this.bus = bus;
    }

    static void also(Listener on, String what, int times) {
        System.out.println("also " + what + times);
    }

    @Override
    public void happened(String what, int times) {
        count += times;
        // While it is told.
        bus.told(what + count);
    }

    @Override
    public String name() {
        if (bus == null) {
            throw new IllegalStateException("no bus");
        }
        return "outside " + count;
    }
}

class Inside implements Listener {
    private int count;

    @Override
    public void happened(String what, int times) {
        count += times;
    }

    @Override
    public String name() {
        return "inside " + count;
    }
}

/** A function with a method of its own, which is not the one that a reference stands for. */
interface Task<T> {
    void run(T on, String what, int times);

    default void runQuietly(T on, Task<T> after) {
        run(on, "quiet", 0);
        after.run(on, "after", 0);
    }
}

class Bus {
    private final List<Listener> all = new ArrayList<>();
    private final StringBuilder told = new StringBuilder();

    static Listener quiet() {
        return new Inside();
    }

    void add(Listener listener) {
        all.add(listener);
    }

    void told(String what) {
        told.append(what).append(' ');
    }

    void tell(String what, int times) {
        each(Listener::happened, what, times);
        Task<Listener> task = Listener::happened;
        for (Listener listener : all) {
            task.runQuietly(listener, (on, text, number) -> told(text));
        }
    }

    private void each(Task<Listener> task, String what, int times) {
        for (Listener listener : all) {
            task.run(listener, what, times);
        }
    }

    String names() {
        Function<Listener, String> name = Listener::name;
        StringBuilder names = new StringBuilder(told);
        for (Listener listener : all) {
            names.append(name.apply(listener)).append(", ");
        }
        return names.toString();
    }

    Supplier<String> bound(int at) {
        return all.get(at)::name;
    }

    String first(Supplier<String> name) {
        return name.get();
    }

    int twice(Shape shape) {
        Supplier<Integer> area = shape::area;
        BiConsumer<Shape, Integer> none = (one, number) -> {};
        none.accept(shape, 0);
        return 2 * area.get();
    }

    /** A function that the JDK makes on demand, as old frameworks do: it is none of the inside. */
    String madeByHand() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle size = lookup.findVirtual(List.class, "size", MethodType.methodType(int.class));
            Supplier<?> made = (Supplier<?>) LambdaMetafactory.metafactory(lookup, "get",
                MethodType.methodType(Supplier.class, List.class), MethodType.methodType(Object.class),
                size, MethodType.methodType(Integer.class)).getTarget().invoke(all);
            return made.get() + " listeners";
        } catch (Throwable e) {
            return e.toString();
        }
    }

    void given(Task<Listener> task) {
        task.runQuietly(all.get(1), Outside::also);
        Task<Listener> also = Outside::also;
        also.runQuietly(all.get(1), task);
    }

    String fails(Listener listener) {
        Function<Listener, String> name = Listener::name;
        try {
            return name.apply(listener);
        } finally {
            told("failed");
        }
    }
}
