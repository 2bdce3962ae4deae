import java.math.BigInteger;

/** Values have no identity in a recording; where the program looks, it is an event. */
public class Main {
    public static void main(String[] args) {
        Inside inside = new Inside();
        String a = "tea";
        String b = new String("tea");
        System.out.println(inside.same(a, a) + " " + inside.same(a, b) + " " + inside.same(a, "cup"));
        Integer large = 1000;
        System.out.println(inside.same(large, Integer.valueOf(1000)) + " " + inside.same(large, large));
        System.out.println(inside.differs(BigInteger.TEN, new BigInteger("10")));
        System.out.println(inside.same(inside, inside) + " " + inside.same(null, null));
        System.out.println(inside.intern(b) == a);
        System.out.println(inside.locked(a));
    }
}

class Inside {
    boolean same(Object a, Object b) {
        return a == b;
    }

    boolean differs(Object a, Object b) {
        return a != b;
    }

    String intern(String s) {
        return s.intern();
    }

    String locked(Object o) {
        synchronized (o) {
            return "locked";
        }
    }
}
