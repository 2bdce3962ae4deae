import java.util.ArrayList;
import java.util.List;

/** Finalizers that the inside calls itself: by an interface, of its own, of a superclass. */
public class Main {
    public static void main(String[] args) throws Throwable {
        Room room = new Room();
        Kitchen kitchen = new Kitchen();
        System.out.println(new House().tidies(room) + " " + new House().tidies(kitchen));
        System.out.println(kitchen.twice() + " " + room.times);
        // Nobody else finalizes them meanwhile.
        House.ALL.add(room);
        House.ALL.add(kitchen);
        System.out.println(House.ALL.size());
    }

    static int counted(int times) {
        return times;
    }
}

interface Tidied {
    void finalize();
}

class House {
    static final List<Tidied> ALL = new ArrayList<>();

    int tidies(Tidied tidied) {
        ALL.add(tidied);
        tidied.finalize();
        return ((Room) tidied).times;
    }
}

class Room implements Tidied {
    int times;

    @Override
    public void finalize() {
        times += Main.counted(1);
    }
}

final class Kitchen extends Room {
    @Override
    public void finalize() {
        super.finalize();
        times += Main.counted(10);
    }

    int twice() {
        finalize();
        this.finalize();
        return times;
    }
}
