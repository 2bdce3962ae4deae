package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A class of the recording, as jvm/player/src/script.rs describes it. */
final class Type {
    /** The member is there and has code. */
    private static final int HERE = 1;
    private static final int ABSTRACT = 2;
    private static final int NATIVE = 3;

    /** What the names of hidden classes of lambdas end with, but for an address. */
    static final String LAMBDA = "$$Lambda";

    final int id;
    final int loader;
    final boolean inside;
    /** Whether it is only known by name, so that the JDK may have it. */
    final boolean guessed;
    /** Whether it is an inside class that was not loaded when it was recorded. */
    final boolean missing;
    /** With slashes; a descriptor for an array. */
    final String name;
    /** The name it has here, where that is another: hidden classes have names of their own. */
    final String nameHere;
    /** An inside class as it is played, or a stand-in; null for the JDK's. */
    final byte[] bytes;
    /** Methods by name and descriptor: HERE, ABSTRACT or NATIVE. */
    private final Map<String, Integer> methods = new HashMap<>();
    private final Map<String, Integer> fields = new HashMap<>();
    final List<String> constants = new ArrayList<>();
    private volatile Class<?> found;

    Type(DataInputStream in) throws IOException {
        id = in.readInt();
        loader = in.readInt();
        int flags = in.readUnsignedByte();
        inside = (flags & 1) != 0;
        guessed = (flags & 4) != 0;
        missing = (flags & 8) != 0;
        name = in.readUTF();
        nameHere = in.readUTF();
        bytes = (flags & 2) != 0 ? in.readNBytes(in.readInt()) : null;
        for (int count = in.readInt(); count > 0; count--) {
            int kind = in.readUnsignedByte();
            methods.put(in.readUTF(), kind);
        }
        for (int count = in.readInt(); count > 0; count--) {
            fields.put(in.readUTF(), HERE);
        }
        for (int count = in.readInt(); count > 0; count--) {
            constants.add(in.readUTF());
        }
    }

    /** It is about to be used: had it been there, it would have been loaded. */
    void use() {
        if (missing) {
            throw new NoClassDefFoundError(name);
        }
    }

    /** Whether it declares the method with code. */
    boolean hasMethod(String nameAndDescriptor) {
        Integer kind = methods.get(nameAndDescriptor);
        return kind != null && kind != ABSTRACT;
    }

    boolean declares(String nameAndDescriptor) {
        return methods.containsKey(nameAndDescriptor);
    }

    boolean isNative(String nameAndDescriptor) {
        Integer kind = methods.get(nameAndDescriptor);
        return kind != null && kind == NATIVE;
    }

    boolean hasField(String nameAndDescriptor) {
        return fields.containsKey(nameAndDescriptor);
    }

    /** The class itself. */
    synchronized Class<?> find(Replay replay) {
        if (found == null && isLambda()) {
            found = replay.functions.find(this, replay.types.alike(this));
        }
        if (found == null) {
            found = replay.types.classFor(loader, nameHere);
        }
        return found;
    }

    /** The class itself, once it was asked for; else null. */
    Class<?> known() {
        return found;
    }

    /** Whether it is the hidden class of a lambda or method reference of the inside. */
    boolean isLambda() {
        return inside && title().endsWith(LAMBDA);
    }

    /** The JVM makes hidden classes, such as those of lambdas, under names of its own; here it is this one. */
    synchronized void isHere(Class<?> c) {
        if (found == null && isLambda() && c.isSynthetic()
                && title().equals(Types.title(c.getName().replace('.', '/')))) {
            found = c;
        }
    }

    /** What a person calls it. */
    String title() {
        return Types.title(name);
    }
}
