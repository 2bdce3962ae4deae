import java.lang.reflect.Field;

/** Fields of the inside that are set and read by reflection: by the inside itself, and by the outside. */
public class Main {
    public static void main(String[] args) throws ReflectiveOperationException {
        Injector injector = new Injector();
        Target target = injector.make("pattern", 3);
        System.out.println(target.text());
        System.out.println(injector.reads(target));
        // The part was never mentioned before it is found here.
        Field part = Target.class.getDeclaredField("part");
        part.setAccessible(true);
        Object found = part.get(target);
        System.out.println(found.toString());
        Field shared = Target.class.getDeclaredField("shared");
        shared.setAccessible(true);
        System.out.println(shared.get(null).toString());
        System.out.println(target.has(found) + " " + target.has(shared.get(null)));
    }
}

class Injector {
    Target make(String text, int count) throws ReflectiveOperationException {
        Target target = new Target();
        for (Field field : Target.class.getDeclaredFields()) {
            field.setAccessible(true);
            switch (field.getName()) {
                case "text": field.set(target, text); break;
                case "count": field.setInt(target, count); break;
                case "target": field.set(target, target); break;
                case "total": field.setLong(null, 70L); break;
                default: break;
            }
        }
        return target;
    }

    String reads(Target target) throws ReflectiveOperationException {
        Field own = Target.class.getDeclaredField("own");
        own.setAccessible(true);
        Part part = (Part) own.get(target);
        part.name = "changed";
        return target.own() + " " + own.get(target).equals(part);
    }
}

class Target {
    static long total;
    static final Part shared = new Part("shared");
    private String text;
    private int count;
    private Target target;
    private final Part part = new Part("part");
    private final Part own = new Part("own");

    String text() {
        return text + count + total + (target == this);
    }

    String own() {
        return own.name;
    }

    boolean has(Object o) {
        return o == part || o == shared;
    }
}

class Part {
    String name;

    Part(String name) {
        this.name = name;
    }

    @Override
    public String toString() {
        return "the " + name;
    }
}
