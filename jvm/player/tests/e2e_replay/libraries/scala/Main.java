import scala.collection.StringOps;
import scala.collection.immutable.*;
import scala.collection.mutable.ArrayBuffer;
import scala.collection.mutable.HashMap;
import scala.jdk.javaapi.CollectionConverters;

/** Collections of Scala, used from Java. */
public class Main {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        List<Object> list = CollectionConverters.asScala(java.util.Arrays.asList((Object) 3, 1, 2)).toList();
        System.out.println(list.map(x -> (Integer) x * 2) + " " + list.reverse().head());
        Vector<Object> vector = (Vector<Object>) (Vector<?>) Vector.range(0, n, scala.math.Numeric.IntIsIntegral$.MODULE$);
        System.out.println(((Vector<Object>) vector.filter(x -> (Integer) x % 7 == 0)).size() + " " + vector.foldLeft(0, (a, b) -> (Integer) a + (Integer) b));
        HashMap<String, Object> map = new HashMap<>();
        for (int i = 0; i < n; i++) {
            map.put("k" + i % 50, i);
        }
        System.out.println(map.size() + " " + map.get("k7"));
        ArrayBuffer<String> buffer = new ArrayBuffer<>();
        for (int i = 0; i < 20; i++) {
            buffer.append("s" + i);
        }
        System.out.println(buffer.mkString("[", ",", "]"));
        System.out.println(scala.math.BigInt.apply("15").$times(scala.math.BigInt.apply(3)));
        LazyList<Object> naturals = LazyList.from(1);
        System.out.println(naturals.map(x -> (Integer) x * (Integer) x).take(5).toList());
        System.out.println(new StringOps("a1b22").reverse());
    }
}
