import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** An interface whose constants are computed; also compiled for releases whose interfaces have no methods with code. */
public class Main {
    public static void main(String[] args) {
        System.out.println(new User().use());
        System.out.println(Defaults.NAMES.size() + Defaults.COUNT);
    }
}

interface Defaults {
    List<String> NAMES = Collections.unmodifiableList(Arrays.asList("a", System.lineSeparator().trim()));
    int COUNT = NAMES.isEmpty() ? 0 : User.count() + Outside.count();
    User FIRST = new User();
}

class User implements Defaults {
    private static int made;

    User() {
        made++;
    }

    static int count() {
        return made + 10;
    }

    String use() {
        return NAMES.get(0) + COUNT + FIRST.getClass().getName() + made;
    }
}

class Outside {
    static int count() {
        return 100;
    }
}
