import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/**
 * A class loader that has only what is its own and the JDK's, and says what it is
 * asked for: nothing but what the program needs.
 */
public class Main {
    static final class Strict extends ClassLoader {
        Strict() {
            super(null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            System.out.println("asked for " + name);
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            if (name.startsWith("java.lang.") || name.startsWith("java.util.")) {
                return super.loadClass(name, resolve);
            }
            try {
                byte[] bytes = Files.readAllBytes(Path.of(name.replace('.', '/') + ".class"));
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException missing) {
                throw new ClassNotFoundException(name);
            }
        }
    }

    /** The other method that a loader can be asked by. */
    static final class Stricter extends ClassLoader {
        private final ClassLoader strict = new Strict();

        Stricter() {
            super(null);
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            for (int i = 0; i < name.length(); i++) {
                if (name.charAt(i) == '/') {
                    throw new ClassNotFoundException(name);
                }
            }
            return strict.loadClass(name);
        }
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        for (ClassLoader loader : new ClassLoader[] {new Strict(), new Stricter()}) {
            Class<?> work = loader.loadClass("Work");
            Object made = work.getDeclaredConstructor().newInstance();
            System.out.println(((IntUnaryOperator) made).applyAsInt(3));
        }
    }
}
