import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The outside calls back while an outcall is open: compare, hashCode, equals, toString. */
public class Main {
    public static void main(String[] args) {
        System.out.println(new Index().run());
    }
}

class Index {
    String run() {
        List<Key> keys = new ArrayList<>(Arrays.asList(new Key(3), new Key(1), new Key(2)));
        keys.sort(new ByNumber());
        Map<Key, String> names = new HashMap<>();
        names.put(new Key(7), "seven");
        names.computeIfAbsent(new Key(8), key -> "made for " + key.number);
        String text = names.get(new Key(7)) + names.get(new Key(8));
        return text + String.valueOf(keys.get(0));
    }
}

class Key {
    final int number;

    Key(int number) {
        this.number = number;
    }

    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key && ((Key) other).number == number;
    }

    @Override
    public String toString() {
        return "key " + number;
    }
}

class ByNumber implements Comparator<Key> {
    @Override
    public int compare(Key a, Key b) {
        return Integer.compare(a.number, b.number);
    }
}
