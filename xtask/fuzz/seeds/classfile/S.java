import java.util.*;
import java.util.function.*;
public class S implements Comparator<String> {
    sealed interface Shape permits Dot, Line {}
    record Dot(int x) implements Shape {}
    record Line(long a, double b) implements Shape {}
    enum E { A, B; }
    private final Map<String, int[]> map = new HashMap<>();
    @Override public int compare(String a, String b) { return a.length() - b.length(); }
    int f(int n, Object o) {
        int s = 0;
        for (int i = 0; i < n; i++) { if (i % 3 == 0) s += i; else s -= i; }
        try { s += o.toString().length(); } catch (NullPointerException e) { s = -1; } finally { s++; }
        switch (n) { case 1: return 1; case 2: return 2; case 100: return 3; default: }
        switch (o.toString()) { case "a": return 4; case "b": return 5; default: }
        Supplier<String> l = () -> "x" + n;
        synchronized (this) { map.computeIfAbsent(l.get(), k -> new int[n]); }
        long big = 12345678901L * s; double d = big / 3.0;
        return (int) d + (o instanceof Dot p ? p.x() : 0);
    }
}
