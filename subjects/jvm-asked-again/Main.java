import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/** An inside class loader that the JVM asks after others were asked in vain, and before objects get their numbers. */
public class Main {
    public static void main(String[] args) throws ReflectiveOperationException {
        Own loader = new Own();
        IntSupplier work = (IntSupplier) loader.loadClass("Work").getDeclaredConstructor().newInstance();
        System.out.println(work.getAsInt());
        System.out.println(loader.count());
    }

    public static int take(IntSupplier made) {
        return made.getAsInt();
    }
}

class Own extends ClassLoader {
    private int count;

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        count++;
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null && !name.startsWith("java.") && !name.equals("Main")) {
            try {
                byte[] bytes = Files.readAllBytes(Path.of(name + ".class"));
                loaded = defineClass(name, bytes, 0, bytes.length);
            } catch (IOException missing) {
                throw new ClassNotFoundException(name);
            }
        }
        return loaded == null ? super.loadClass(name, resolve) : loaded;
    }

    int count() {
        return count;
    }
}
