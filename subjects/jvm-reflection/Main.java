import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.Callable;

/** Reflection and method handles, from outside into the inside and from inside out. */
public class Main {
    public static void main(String[] args) throws Throwable {
        Constructor<Secret> constructor = Secret.class.getDeclaredConstructor(int.class);
        constructor.setAccessible(true);
        Secret secret = constructor.newInstance(4);
        Method twice = Secret.class.getDeclaredMethod("twice", int.class);
        twice.setAccessible(true);
        for (int i = 0; i < 20; i++) {
            twice.invoke(secret, i);
        }
        System.out.println(twice.invoke(secret, 6));
        Method fails = Secret.class.getDeclaredMethod("fails", String.class);
        fails.setAccessible(true);
        try {
            fails.invoke(null, "why");
        } catch (InvocationTargetException e) {
            System.out.println(e.getCause().getMessage());
        }
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(Secret.class, MethodHandles.lookup());
        MethodHandle handle = lookup.findVirtual(Secret.class, "twice", MethodType.methodType(long.class, int.class));
        System.out.println((long) handle.invokeExact(secret, 8));
        MethodHandle makes = lookup.findConstructor(Secret.class, MethodType.methodType(void.class, int.class));
        System.out.println(((Secret) makes.invoke(9)).shows());
        System.out.println(secret.reflects());
        System.out.println(secret.handles());
        Object proxy = Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {Callable.class, Listed.class}, new Handler());
        System.out.println(secret.proxied(proxy));
        System.out.println(secret.proxies());
        System.out.println(Secret.class.getDeclaredMethods().length + " " + Secret.class.getDeclaredFields().length
            + Secret.class.getAnnotation(Marked.class).value() + Arrays.toString(Secret.class.getDeclaredConstructors()));
        System.out.println(secret.annotations());
        Callable<Object> bound = (Callable<Object>) java.lang.invoke.MethodHandleProxies.asInterfaceInstance(Callable.class, MethodHandles.insertArguments(handle, 0, secret, 3).asType(MethodType.methodType(Object.class)));
        System.out.println(bound.call());
    }

    static int outside(int n) {
        return n + 1000;
    }

    static class Handler implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return method.getName() + (arguments == null ? 0 : arguments.length);
        }
    }
}

@Retention(RetentionPolicy.RUNTIME)
@interface Marked {
    String value();
}

interface Listed {
    String list(int a, String b);
}

@Marked("secret")
class Secret {
    private int number;
    private static int made;

    private Secret(int number) {
        this.number = number;
        made++;
    }

    private long twice(int by) {
        return 2L * by + number;
    }

    private static void fails(String why) {
        throw new IllegalStateException(why);
    }

    String shows() {
        return "secret " + number + made;
    }

    String reflects() throws Exception {
        Method outside = Main.class.getDeclaredMethod("outside", int.class);
        Object result = outside.invoke(null, 5);
        Method own = Secret.class.getDeclaredMethod("twice", int.class);
        Object back = own.invoke(this, 7);
        Field field = Secret.class.getDeclaredField("number");
        int before = field.getInt(this);
        int[] cells = (int[]) Array.newInstance(int.class, 3);
        Secret other = Secret.class.getDeclaredConstructor(int.class).newInstance(30);
        return result + " " + back + before + cells.length + other.number + Class.forName("Secret").getSimpleName();
    }

    String handles() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle outside = lookup.findStatic(Main.class, "outside", MethodType.methodType(int.class, int.class));
        int first = (int) outside.invokeExact(1);
        Object second = outside.invoke((Integer) 2);
        MethodHandle own = lookup.findSpecial(Secret.class, "twice", MethodType.methodType(long.class, int.class), Secret.class);
        long third = (long) own.invokeExact(this, 3);
        MethodHandle length = lookup.findVirtual(String.class, "length", MethodType.methodType(int.class));
        return first + " " + second + third + (int) length.invokeExact("four") + outside.invokeWithArguments(5);
    }

    String proxied(Object proxy) throws Exception {
        return ((Callable<?>) proxy).call() + ((Listed) proxy).list(1, "b") + (proxy instanceof Listed);
    }

    String proxies() {
        Listed listed = (Listed) Proxy.newProxyInstance(Secret.class.getClassLoader(), new Class<?>[] {Listed.class},
            (proxy, method, arguments) -> method.getName() + arguments[0] + number);
        return listed.list(4, "x");
    }

    String annotations() {
        Marked marked = Secret.class.getAnnotation(Marked.class);
        return marked.value() + Secret.class.isAnnotationPresent(Marked.class) + getClass().getSimpleName() + Secret.class.getModifiers();
    }
}
