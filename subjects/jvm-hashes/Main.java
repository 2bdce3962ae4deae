import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Identity hashes of inside, outside and by-value objects, and collections whose
 * order depends on them or on a salt: all differ from run to run, so nothing of
 * it is printed.
 */
public class Main {
    public static void main(String[] args) {
        Hashes hashes = new Hashes();
        Object[] objects = {new Object(), new int[2], "tea", 1000, Main.class, Thread.State.NEW};
        long sum = hashes.of(hashes, objects);
        sum += hashes.names(Set.of("a", "b", "c", "d", "e"), Map.of("k", 1, "l", 2, "m", 3)).length();
        System.out.println(sum == 0 ? "nothing" : "hashed");
        System.out.println(hashes.monitors("tea", 1000, Hashes.class));
    }
}

class Hashes {
    long of(Object own, Object[] objects) {
        long sum = hashCode() ^ System.identityHashCode(this) ^ super.hashCode();
        for (Object o : objects) {
            sum = sum * 31 + System.identityHashCode(o);
            sum = sum * 31 + o.hashCode();
        }
        Hashes[] made = {new Hashes(), new Hashes()};
        sum = sum * 31 + made.hashCode() + made[0].hashCode();
        Set<Hashes> set = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            set.add(new Hashes());
        }
        for (Hashes each : set) {
            sum = sum * 31 + each.hashCode();
        }
        return sum;
    }

    String names(Set<String> set, Map<String, Integer> map) {
        String all = "";
        for (String name : set) {
            all += name;
        }
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
            all += entry.getKey() + entry.getValue();
        }
        return all;
    }

    String monitors(Object... objects) {
        String all = "";
        for (Object o : objects) {
            synchronized (o) {
                o.notifyAll();
                try {
                    o.wait(1);
                } catch (InterruptedException e) {
                    all += "interrupted ";
                }
                all += Thread.holdsLock(o) + " ";
            }
        }
        return all;
    }
}
