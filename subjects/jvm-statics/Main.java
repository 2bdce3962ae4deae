import java.util.ArrayList;
import java.util.List;

/** Static members that an inside class inherits from outside, and the other way round. */
public class Main {
    public static void main(String[] args) {
        System.out.println(Child.counts() + " " + Parent.count);
        Parent.count = 50;
        System.out.println(Child.counts() + " " + Grandchild.far() + " " + Parent.count);
        System.out.println(Reader.through() + Reader.constants());
        Offspring.own = 7;
        Offspring.words = new String[] {"a"};
        System.out.println(Child.own() + Offspring.twice());
        Offspring.tell(3);
        System.out.println(Child.own());
        System.out.println(new Offspring().constants() + Later.made);
    }
}

/** Outside. */
class Parent implements Lists {
    static int count = 1;
    protected static String name = "parent";

    static int helper(int by) {
        return count += by;
    }
}

/** Outside. */
interface Lists {
    List<String> WORDS = new ArrayList<>(List.of("one", "two"));
}

/** Outside; initialised by whoever reads it first. */
class Later {
    static int made = Reader.note(5);
}

class Child extends Parent {
    static int own;
    static String[] words;

    static String counts() {
        count++;
        name += "!";
        return name + count + helper(10) + WORDS.size();
    }

    static int own() {
        return own + (words == null ? 0 : words.length);
    }

    static int twice() {
        return own * 2;
    }
}

class Grandchild extends Child {
    static String far() {
        count += 100;
        return name + count + helper(1000) + Grandchild.WORDS.get(1);
    }

    static int farther() {
        return count;
    }
}

class Reader {
    static int noted;

    static int through() {
        Grandchild.count = 3;
        return Grandchild.count + Child.helper(4) + Grandchild.helper(5) + Grandchild.farther();
    }

    static int constants() {
        return Child.WORDS.size() + Constants.SIZE + Later.made + noted;
    }

    static int note(int n) {
        noted += n;
        return noted;
    }
}

interface Constants extends Lists {
    int SIZE = WORDS.size() + 1;
}

/** Outside, of an inside class. */
class Offspring extends Child {
    static void tell(int n) {
        own = n;
        own += n;
    }

    int constants() {
        own++;
        return own + twice();
    }
}
