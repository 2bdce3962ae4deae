import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * References to the methods of references: where such a chain ends decides whether a
 * call of it leaves the inside, however long it is.
 */
public class Main {
    public static void main(String[] args) {
        List<String> words = new ArrayList<>(List.of("one", "two"));
        System.out.println(Chain.byClass(String.class, "x") + " " + Chain.byClass(Integer.class, "x"));
        System.out.println(Chain.byText("abc", "a") + " " + Chain.byText("abc", "abc"));
        System.out.println(Chain.byList(words, "two") + " " + Chain.byList(words, "three"));
        System.out.println(Chain.byOwn(4) + " " + Chain.byOwn("four"));
        Test outside = word -> words.remove(word);
        System.out.println(Chain.byTest(outside, "one") + " " + words);
        System.out.println(Chain.unbound(outside, "two") + " " + words);
        System.out.println(Chain.supplied(words) + Chain.supplied(List.of("three")));
    }
}

interface Test {
    boolean test(Object object);
}

class Chain {
    private static int calls;

    private static Predicate<Object> from(Test test) {
        return test::test;
    }

    private static boolean ask(Predicate<Object> predicate, Object object) {
        calls++;
        return predicate.test(object);
    }

    static boolean byClass(Class<?> type, Object object) {
        Test test = type::isInstance;
        return ask(from(test), object);
    }

    static boolean byText(String text, Object object) {
        Test first = text::equals;
        Test second = first::test;
        return second.test(object) || ask(second::test, text + calls);
    }

    static boolean byList(List<?> list, Object object) {
        Test first = list::contains;
        Test second = first::test;
        Predicate<Object> third = second::test;
        return ask(third::test, object);
    }

    static boolean byOwn(Object object) {
        Test first = Chain::isNumber;
        Test second = first::test;
        return ask(from(second), object);
    }

    private static boolean isNumber(Object object) {
        return object instanceof Number && calls > 0;
    }

    static boolean byTest(Test test, Object object) {
        Test second = test::test;
        Predicate<Object> third = second::test;
        return ask(third, object);
    }

    static boolean unbound(Test test, Object object) {
        BiPredicate<Test, Object> predicate = Test::test;
        BiPredicate<Test, Object> again = predicate::test;
        return again.test(test, object);
    }

    static String supplied(List<?> list) {
        Supplier<Object> size = list::size;
        Supplier<Object> again = size::get;
        Supplier<Object> third = again::get;
        return third.get() + " " + calls;
    }
}
