import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/** A class loader that is inside: the JVM asks it while the inside runs that it has loaded. */
public class Main {
    public static void main(String[] args) throws ReflectiveOperationException {
        Counting loader = new Counting();
        Class<?> work = loader.loadClass("Work");
        IntUnaryOperator made = (IntUnaryOperator) work.getDeclaredConstructor().newInstance();
        System.out.println(made.applyAsInt(3));
        System.out.println(made.applyAsInt(4));
        System.out.println(loader.seen());
    }
}

class Counting extends ClassLoader {
    private final StringBuilder asked = new StringBuilder();
    private int count;

    Counting() {
        super(null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        count++;
        asked.append(name).append(' ');
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
            return loaded;
        }
        if (name.startsWith("java.")) {
            return super.loadClass(name, resolve);
        }
        return own(name);
    }

    private Class<?> own(String name) throws ClassNotFoundException {
        if (name.endsWith("Missing") || name.equals("Gone")) {
            throw new ClassNotFoundException(name);
        }
        try {
            byte[] bytes = Files.readAllBytes(Path.of(name.replace('.', '/') + ".class"));
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException missing) {
            throw new ClassNotFoundException(name);
        }
    }

    /** The inside asks itself. */
    String seen() throws ClassNotFoundException {
        String before = count + ": " + asked;
        return before + loadClass("Part", false).getName() + loadClass("Part").getName() + count;
    }
}
