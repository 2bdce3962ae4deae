import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;

/**
 * Objects that are copied, or written to by a handle, have fields of classes that nobody has
 * loaded yet: what is in them is recorded, and no class is loaded for that before the
 * program does, by a loader of its own that is inside and tells.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        Teller teller = new Teller();
        Class<?> work = teller.loadClass("Work");
        Constructor<?> constructor = work.getDeclaredConstructor();
        constructor.setAccessible(true);
        Runnable run = (Runnable) constructor.newInstance();
        System.out.println("made");
        run.run();
    }
}

/** Loads these classes itself, one after the other, and says so. */
class Teller extends ClassLoader {
    private int count;

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean own = name.equals("Work") || name.equals("Copied") || name.startsWith("Late");
        Class<?> known = own ? findLoadedClass(name) : null;
        if (!own || known != null) {
            return own ? known : super.loadClass(name, resolve);
        }
        count++;
        System.out.println(count + " loads " + name);
        try (InputStream in = Main.class.getResourceAsStream(name + ".class")) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}

/** Is outside. */
class Work implements Runnable {
    public void run() {
        try {
            Copied first = new Copied(3);
            Copied second = first.copies();
            System.out.println("copied " + second.shows());
            VarHandle handle = MethodHandles.lookup().findVarHandle(Copied.class, "number", int.class);
            handle.set(second, 8);
            System.out.println("set " + second.shows());
            System.out.println(second.uses());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

class Copied implements Cloneable {
    int number;
    private Late late;
    private LateToo[] more;
    private String text = "text";

    Copied(int number) {
        this.number = number;
    }

    Copied copies() {
        try {
            return (Copied) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    String shows() {
        return text + number + (late == null) + (more == null);
    }

    String uses() {
        late = new Late();
        return late.name() + shows();
    }
}

class Late {
    String name() {
        return "late";
    }
}

class LateToo {}
