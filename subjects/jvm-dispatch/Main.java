/** Receivers that are inside or outside only when the call is made. */
public class Main {
    public static void main(String[] args) throws Exception {
        Zoo zoo = new Zoo();
        System.out.println(zoo.sound(new Dog()) + zoo.sound(new Cat()) + zoo.sound(new Wolf()));
        System.out.println(zoo.inherited(new Puppy()));
        System.out.println(zoo.copy(new Puppy()));
        System.out.println((Integer) Zoo.class.getDeclaredMethod("hidden", int.class).invoke(null, 4));
    }
}

/** Outside. */
abstract class Animal implements Cloneable {
    abstract String sound();

    String legs() {
        return "four ";
    }

    String twice() {
        return sound() + sound();
    }
}

/** Inside. */
class Dog extends Animal {
    String sound() {
        return "wuff ";
    }

    @Override
    public Dog clone() {
        try {
            return (Dog) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}

/** Outside, of an inside class. */
class Wolf extends Dog {
    @Override
    String sound() {
        return "awoo ".concat(super.sound());
    }
}

/** Outside. */
class Cat extends Animal {
    String sound() {
        return "meow ";
    }
}

/** Inside. */
class Puppy extends Dog {
    @Override
    String legs() {
        return "small " .concat(super.legs());
    }
}

/** Inside. */
class Zoo {
    String sound(Animal animal) {
        return animal.sound();
    }

    String inherited(Puppy puppy) {
        return puppy.twice().concat(puppy.legs());
    }

    boolean copy(Puppy puppy) {
        return Keeper.keep(puppy) != Keeper.keep((Puppy) puppy.clone());
    }

    private static int hidden(int i) {
        return i * i;
    }
}

/** Outside. */
class Keeper {
    static Object keep(Object o) {
        return o;
    }
}
