package q;

import java.util.Optional;
import java.util.function.Function;
import p.Builder;

/** The inside. */
public class Use {
    public String build(String text) {
        return new Builder().add(text).add("b").build();
    }

    /** The class file has one constant for the three of them, and there are three objects. */
    public String functions(Optional<String> text) {
        Function<String, Boolean> first = Boolean::valueOf;
        Function<String, Boolean> second = Boolean::valueOf;
        boolean both = text.map(first).get() && text.map(second).get();
        return both + " " + text.map(Boolean::valueOf).get() + " " + (first == second);
    }
}
