import java.util.List;
import java.util.function.IntUnaryOperator;

/** What the loader loads. */
public class Work implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        return Integer.parseInt("4") + List.of(x, x).size() + Math.max(x, 2);
    }
}
