package reprise.player;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects in the place of those from outside: without content, and of the same class.
 *
 * Some classes of the JDK cannot be initialised here, because what they stand on was
 * never set up: a native library, say. An object of such a class is one of a class
 * that extends and implements what that one does, as far as inside code can name it.
 */
final class Placeholders {
    private final Replay replay;
    /** By the class that cannot be initialised. */
    private final Map<Class<?>, Class<?>> standIns = new ConcurrentHashMap<>();

    private int tried;

    Placeholders(Replay replay) {
        this.replay = replay;
    }

    Object make(Class<?> c) {
        Class<?> known = standIns.get(c);
        if (known != null) {
            return Memory.allocate(known);
        }
        try {
            return Memory.allocate(c);
        } catch (LinkageError cannotBe) {
            return standIn(c, cannotBe);
        }
    }

    private synchronized Object standIn(Class<?> c, LinkageError why) {
        Loader loader = replay.types.loader(0);
        Set<String> interfaces = new LinkedHashSet<>();
        for (Class<?> above = c; above != null; above = above.getSuperclass()) {
            for (Class<?> one : above.getInterfaces()) {
                Interfaces.allow(one.getName().replace('.', '/'), loader, interfaces);
            }
        }
        for (Class<?> above = c.getSuperclass(); above != null; above = above.getSuperclass()) {
            boolean seen = (above.getModifiers() & Modifier.PUBLIC) != 0
                && above.getModule().isExported(above.getPackageName(), loader.getUnnamedModule());
            if (!seen) {
                continue;
            }
            try {
                String name = "reprise/StandIn$" + ++tried;
                Class<?> made = loader.define(bytes(name, above, interfaces));
                Object object = Memory.allocate(made);
                standIns.put(c, made);
                replay.types.standsFor(made, c);
                return object;
            } catch (LinkageError cannotBe) {
                // Nor can that one be initialised.
            }
        }
        throw new Unplayable("no object of " + c.getName() + " can be made: " + why);
    }

    /** A class file without members. */
    private static byte[] bytes(String name, Class<?> above, Set<String> interfaces) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(0xCAFEBABE);
            out.writeInt(52);
            out.writeShort(5 + 2 * interfaces.size());
            constant(out, name, 2);
            constant(out, above.getName().replace('.', '/'), 4);
            int next = 4;
            for (String one : interfaces) {
                next += 2;
                constant(out, one, next);
            }
            out.writeShort(Modifier.PUBLIC | 0x20);
            out.writeShort(2);
            out.writeShort(4);
            out.writeShort(interfaces.size());
            for (int i = 0; i < interfaces.size(); i++) {
                out.writeShort(6 + 2 * i);
            }
            // Fields, methods, attributes.
            out.writeShort(0);
            out.writeInt(0);
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
        return bytes.toByteArray();
    }

    /** A text and the class of that name, whose number comes after the text's. */
    private static void constant(DataOutputStream out, String name, int number) throws IOException {
        out.writeByte(1);
        out.writeUTF(name);
        out.writeByte(7);
        out.writeShort(number - 1);
    }
}
