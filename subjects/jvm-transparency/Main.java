import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.Arrays;

/** What a program can see of itself is what it is without recording. */
public class Main {
    public static void main(String[] args) throws Exception {
        System.out.println(ObjectStreamClass.lookup(Saved.class).getSerialVersionUID());
        System.out.println(Arrays.toString(Saved.class.getInterfaces()));
        Method[] methods = Saved.class.getDeclaredMethods();
        System.out.println(methods.length + " " + Saved.class.getFields().length);
        Saved saved = new Saved(7);
        System.out.println(saved.again().number() == saved.number());
        try {
            saved.nothing(null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
            for (StackTraceElement element : e.getStackTrace()) {
                System.out.println(element);
            }
        }
        System.out.println(saved.caller());
        synchronized (saved) {
            System.out.println(Thread.holdsLock(saved));
        }
        saved.fails();
    }
}

class Saved implements Serializable {
    private final int number;
    public String[][] words;

    Saved(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    Saved again() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        }
        return (Saved) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))
            .readObject();
    }

    int nothing(Saved other) {
        return other.words[3].clone()[1].concat("x").length();
    }

    String caller() {
        return StackWalker.getInstance().walk(frames -> frames.limit(2).count()) + " "
            + new Throwable().getStackTrace()[0];
    }

    void fails() {
        new java.util.ArrayList<String>().subList(3, 4);
    }
}
