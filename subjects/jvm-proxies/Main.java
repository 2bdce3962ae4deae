// Objects of classes that the JDK makes while the program runs, some of which have
// interfaces that nobody else may have: annotations, lambdas within the JDK, proxies.
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

public class Main {
    @Marked("here")
    static class Here {}

    public static void main(String[] arguments) {
        System.out.println(new Reader().names(Optional.class));
        System.out.println(new Reader().names(Here.class));
        System.out.println(new Reader().value(Here.class.getAnnotation(Marked.class)));
        Runnable proxy = (Runnable) Proxy.newProxyInstance(Main.class.getClassLoader(),
            new Class<?>[] {Runnable.class}, (object, method, values) -> null);
        new Reader().run(proxy);
        System.out.println(new Reader().compare(Map.Entry.comparingByKey()));
    }
}

@Retention(RetentionPolicy.RUNTIME)
@interface Marked {
    String value();
}

class Reader {
    String names(Class<?> type) {
        StringBuilder names = new StringBuilder();
        for (Annotation annotation : type.getAnnotations()) {
            names.append(annotation.annotationType().getSimpleName()).append(' ');
        }
        return names.toString();
    }

    String value(Marked marked) {
        return marked.value();
    }

    void run(Runnable runnable) {
        runnable.run();
    }

    int compare(Comparator<Map.Entry<String, Integer>> order) {
        return order.compare(Map.entry("a", 1), Map.entry("b", 2));
    }
}
