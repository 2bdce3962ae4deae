package reprise.player;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes from a stand-in the interfaces that only the JDK's own classes may have,
 * and gives it what these extend.
 *
 * The proxy of an annotation, or the hidden class of a lambda within the JDK, may
 * implement an interface that is not public or not exported. Inside code cannot
 * name such an interface, so nothing asks for it.
 */
final class Interfaces {
    private Interfaces() {}

    static byte[] allowed(byte[] standIn, Loader loader) {
        try {
            return rewrite(standIn, loader);
        } catch (IOException cannotBe) {
            return standIn;
        }
    }

    private static byte[] rewrite(byte[] bytes, Loader loader) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        Map<Integer, String> texts = new HashMap<>();
        Map<Integer, Integer> classes = new HashMap<>();
        int constants = in.readUnsignedShort();
        for (int i = 1; i < constants; i++) {
            switch (in.readUnsignedByte()) {
                case 1: texts.put(i, in.readUTF()); break;
                case 7: classes.put(i, in.readUnsignedShort()); break;
                case 8: case 16: case 19: case 20: in.skipBytes(2); break;
                case 15: in.skipBytes(3); break;
                case 5: case 6: in.skipBytes(8); i++; break;
                default: in.skipBytes(4); break;
            }
        }
        int flags = bytes.length - in.available();
        in.skipBytes(6);
        List<String> asked = new ArrayList<>();
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            asked.add(texts.get(classes.get(in.readUnsignedShort())));
        }
        Set<String> allowed = new LinkedHashSet<>();
        for (String name : asked) {
            allow(name, loader, allowed);
        }
        if (allowed.equals(Set.copyOf(asked))) {
            return bytes;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        DataOutputStream data = new DataOutputStream(out);
        data.write(bytes, 0, 8);
        data.writeShort(constants + 2 * allowed.size());
        data.write(bytes, 10, flags - 10);
        int next = constants;
        for (String name : allowed) {
            data.writeByte(1);
            data.writeUTF(name);
            data.writeByte(7);
            data.writeShort(next);
            next += 2;
        }
        data.write(bytes, flags, 6);
        data.writeShort(allowed.size());
        for (int i = 0; i < allowed.size(); i++) {
            data.writeShort(constants + 2 * i + 1);
        }
        data.write(bytes, bytes.length - in.available(), in.available());
        return out.toByteArray();
    }

    /** Adds an interface, or else those that it extends. */
    static void allow(String name, Loader loader, Set<String> allowed) {
        Class<?> c;
        try {
            c = Class.forName(name.replace('/', '.'), false, loader);
        } catch (ClassNotFoundException | LinkageError unknown) {
            // Whoever defines the stand-in will say so.
            allowed.add(name);
            return;
        }
        boolean seen = (c.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
            && c.getModule().isExported(c.getPackageName(), loader.getUnnamedModule());
        if (c.getClassLoader() instanceof Loader || seen) {
            allowed.add(name);
            return;
        }
        for (Class<?> above : c.getInterfaces()) {
            allow(above.getName().replace('.', '/'), loader, allowed);
        }
    }
}
