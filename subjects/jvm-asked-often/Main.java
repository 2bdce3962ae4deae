import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A class loader that is inside and uses monitors and volatile fields: the JVM asks it, in several threads,
 * between other such uses of the inside. In a replay it is asked between the same ones.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Counting loader = new Counting();
        Runnable work = (Runnable) loader.loadClass("Work").getDeclaredConstructor().newInstance();
        for (int i = 0; i < 3; i++) {
            work.run();
            Thread other = new Thread(work, "other");
            other.start();
            other.join();
        }
        System.out.println(work);
        System.out.println(Counting.asked > 6);
    }
}

class Counting extends ClassLoader {
    static volatile int asked;

    Counting() {
        super(null);
    }

    @Override
    protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        asked++;
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
            return loaded;
        }
        if (name.startsWith("java.")) {
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
