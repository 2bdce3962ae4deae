import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Everything that reflection says of an inside class is what it was: members, flags, generics, annotations. */
public class Main {
    public static void main(String[] args) throws Exception {
        Glass<String> glass = new Glass<>("x");
        glass.shows();
        for (Class<?> type : new Class<?>[] {Glass.class, Glass.Inner.class, Glass.Shade.class, Glass.Kept.class, Glass2.class}) {
            List<String> lines = new ArrayList<>();
            lines.add(type.toGenericString() + type.getGenericSuperclass() + type.getNestHost() + type.isSynthetic());
            for (Field field : type.getDeclaredFields()) {
                lines.add(field.toGenericString() + field.getAnnotatedType() + field.isSynthetic());
            }
            for (Method method : type.getDeclaredMethods()) {
                lines.add(method.toGenericString() + method.isSynthetic() + method.isBridge() + method.isVarArgs()
                    + List.of(method.getParameters()) + List.of(method.getAnnotations()) + method.getAnnotatedReturnType());
            }
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                lines.add(constructor.toGenericString() + constructor.isSynthetic() + constructor.getParameterCount());
            }
            for (Class<?> nested : type.getDeclaredClasses()) {
                lines.add("nested " + nested.getName());
            }
            lines.add("interfaces " + List.of(type.getInterfaces()) + type.getMethods().length + type.getFields().length);
            Collections.sort(lines);
            // Lambda bodies have numbers that the compiler gives.
            lines.forEach(System.out::println);
        }
        try {
            glass.deep(null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
            for (StackTraceElement element : e.getStackTrace()) {
                System.out.println(element.getMethodName() + element.getLineNumber() + element.getFileName());
            }
        }
        System.out.println(glass.lines());
        System.out.println(StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(s -> s.count()) + glass.walks());
    }
}

@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE_USE, ElementType.METHOD, ElementType.TYPE})
@interface Noted {
    int value() default 3;
}

@Noted(7)
class Glass<T extends Comparable<T>> implements Comparable<Glass<T>>, Cloneable {
    private final @Noted(1) T value;
    static final int LIMIT = 9;
    protected volatile long count;
    transient Map<String, @Noted List<? super T>> map;

    Glass(T value) {
        this.value = value;
    }

    @Noted(2)
    String shows() {
        Function<T, @Noted String> f = v -> v + "!";
        @Noted(4) Object o = (@Noted(5) Object) f.apply(value);
        return o.toString();
    }

    @Override
    public int compareTo(Glass<T> other) {
        return value.compareTo(other.value);
    }

    @Override
    public Glass<T> clone() throws CloneNotSupportedException {
        @SuppressWarnings("unchecked")
        Glass<T> copy = (Glass<T>) super.clone();
        return copy;
    }

    <E extends Exception> void many(int first, E... rest) throws E {}

    synchronized strictfp int deep(int[][] cells) {
        return
            cells[2][count > 0 ? 1 : 0]
                + LIMIT;
    }

    String lines() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            text.append(new Throwable().getStackTrace()[0].getLineNumber())
                .append(new Throwable()
                    .getStackTrace()[0].getLineNumber());
        }
        return text.toString();
    }

    String walks() {
        return StackWalker.getInstance().walk(frames -> frames.map(frame -> frame.getMethodName() + frame.getLineNumber() + frame.getByteCodeIndex() / 100000).limit(3).collect(java.util.stream.Collectors.joining(",")));
    }

    class Inner {
        private int own = Glass.this.hashCode() * 0;
    }

    enum Shade { LIGHT, DARK { } }

    record Kept(int a, List<String> b) {}
}

abstract class Glass2 {
    private Glass2() {}

    static native int nothing();

    abstract void todo();

    @Deprecated
    protected final void done() {
        assert nothing() > 0;
    }
}
