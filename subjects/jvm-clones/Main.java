import java.util.ArrayList;
import java.util.HashMap;

/** Copies have a number of their own, whoever makes them. */
public class Main {
    static ArrayList<Object> seen = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        Sheep dolly = new Sheep("dolly", 3);
        meet(dolly);
        Sheep copy = dolly.clone();
        meet(copy);
        copy.grow();
        System.out.println(dolly.shows() + copy.shows() + (copy.parent() == dolly));
        System.out.println(Flock.copies(dolly) + dolly.shows());
        Lamb lamb = new Lamb("lamb");
        Lamb twin = (Lamb) lamb.clone();
        twin.wool = 9;
        System.out.println(twin.shows() + lamb.shows() + twin.wool + lamb.wool);
        Flock flock = new Flock();
        flock.put("a", dolly);
        Flock other = (Flock) flock.clone();
        other.put("b", copy);
        System.out.println(flock.size() + other.size() + flock.counts() + other.counts() + " " + (other.get("a") == dolly));
        Sheep[] pen = {dolly, copy};
        Sheep[] second = pen.clone();
        second[0] = twin;
        System.out.println(Flock.first(pen) + Flock.first(second) + seen.size());
        Goat goat = new Goat();
        Kid kid = new Kid();
        Herd herd = new Herd();
        System.out.println(Flock.differ(goat, kid) + Flock.differ(kid, herd));
        System.out.println(Flock.differ(goat.clone(), goat) + Flock.differ(kid.clone(), kid)
            + Flock.differ(herd.clone(), herd) + Flock.differ(kid.clone(), kid.last));
        System.out.println(Flock.differ(Flock.copy(goat), goat));
        try {
            new Sheep("wolf", -1).clone();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }

    static int meet(Object o) {
        seen.add(o);
        return seen.indexOf(o);
    }
}

class Sheep implements Cloneable {
    private final String name;
    private int age;
    private int[] teeth = {1, 2};
    private Sheep parent;

    Sheep(String name, int age) {
        this.name = name;
        this.age = age;
    }

    @Override
    public Sheep clone() {
        if (age < 0) {
            throw new IllegalStateException("no copy of " + name);
        }
        try {
            Sheep copy = (Sheep) super.clone();
            copy.parent = this;
            copy.teeth = teeth.clone();
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    void grow() {
        age++;
        teeth[0] += 10;
    }

    Sheep parent() {
        return parent;
    }

    String shows() {
        return name + age + teeth[0] + " ";
    }
}

/** Outside, of an inside class. */
class Lamb extends Sheep {
    int wool = 1;

    Lamb(String name) {
        super(name, 0);
    }
}

/** Outside, and copied by itself. */
class Goat implements Cloneable {
    /** Of a class that is never loaded. */
    Shepherd shepherd;

    @Override
    public Goat clone() {
        try {
            return (Goat) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}

class Shepherd {}

/** Copied by its superclass; the copy is mentioned before the call is over. */
class Kid extends Goat {
    Object last;

    @Override
    public Kid clone() {
        Kid copy = (Kid) super.clone();
        System.out.println(Flock.differ(copy, this));
        last = copy;
        return copy;
    }
}

/** Copied by the JDK alone. */
class Herd extends ArrayList<String> {}

class Flock extends HashMap<String, Sheep> {
    private int puts;

    @Override
    public Sheep put(String name, Sheep sheep) {
        puts++;
        return super.put(name, sheep);
    }

    int counts() {
        return puts * 10;
    }

    static String first(Sheep[] pen) {
        return pen[0].shows();
    }

    static Goat copy(Goat goat) {
        return goat.clone();
    }

    static String differ(Object one, Object other) {
        return one == other ? "same " : "different ";
    }

    static int copies(Sheep sheep) {
        Sheep copy = sheep.clone();
        copy.grow();
        return Main.meet(copy) + Main.meet(sheep) + Main.meet(copy.clone());
    }
}
