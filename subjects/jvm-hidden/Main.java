import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Nothing that recording adds to a class shows in a listing, or is serialised. */
public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside(3);
        // Numbered by now.
        System.out.println(inside.twice());
        for (Class<?> type = Inside.class; type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                System.out.println(Modifier.toString(field.getModifiers()) + " " + field.getName());
            }
            System.out.println(type.getDeclaredMethods().length + " methods");
            System.out.println(type.getInterfaces().length + " interfaces");
        }
        for (Field field : Inside.class.getFields()) {
            System.out.println("public " + field.getName());
        }
        try {
            Inside.class.getDeclaredField("reprise$number");
            System.out.println("there is a field too many");
        } catch (NoSuchFieldException expected) {
            System.out.println("no such field");
        }
        ObjectStreamClass stream = ObjectStreamClass.lookup(Inside.class);
        System.out.println(stream.getSerialVersionUID());
        for (ObjectStreamField field : stream.getFields()) {
            System.out.println(field);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(inside);
        }
        System.out.println(bytes.size());
        Inside copy = (Inside) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        System.out.println(copy.twice());
    }
}

class Inside implements Serializable {
    private final int value;
    public transient String note = "a";
    static int count;

    Inside(int value) {
        this.value = value;
        count++;
    }

    int twice() {
        return value + value;
    }
}
