import java.lang.annotation.*;
import java.util.*;
import java.util.function.*;

/** Type annotations wherever code can have them, and most kinds of bodies. */
class Annotated<T> {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value() default "";
        int[] numbers() default {};
        Nested nested() default @Nested;
    }

    @interface Nested {
        Thread.State state() default Thread.State.NEW;
        Class<?> type() default Object.class;
    }

    static int code(Object in, int n) throws Exception {
        @Mark("local") String text = "a" + n;
        try (java.io.@Mark("resource") StringReader reader = new java.io.StringReader(text)) {
            Object made = new @Mark(value = "new", numbers = {1, 2}, nested = @Nested) ArrayList<@Mark String>();
            if (in instanceof @Mark("instanceof") String) {
                text = (@Mark("cast") String) in;
            }
            Supplier<Object> maker = @Mark("::new") Object::new;
            Function<String, Integer> length = @Mark("::") String::length;
            List<String> list = Collections.<@Mark("argument") String>emptyList();
            switch (n) {
                case 1: n += 2;
                case 2: n *= 3; break;
                case 1000: return length.apply(text);
                default: n--;
            }
            for (int i = 0; i < n && i < 1000; i++) {
                long sum = i + list.size();
                synchronized (made) {
                    n += (int) sum & 1;
                }
            }
        } catch (@Mark("catch") IllegalStateException e) {
            return -1;
        } finally {
            n++;
        }
        return n;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(code("hello", 1) + " " + code(1, 2) + " " + code("hello", 1000));
    }
}
