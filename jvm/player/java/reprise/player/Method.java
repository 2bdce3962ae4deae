package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** A method of an inside class that the outside calls. */
final class Method {
    final int id;
    final int type;
    final boolean isStatic;
    final String name;
    /** Its name in the classes that are played. */
    final String nameHere;
    final String descriptor;
    private MethodHandle handle;

    Method(DataInputStream in) throws IOException {
        id = in.readInt();
        type = in.readInt();
        isStatic = in.readBoolean();
        name = in.readUTF();
        nameHere = in.readUTF();
        descriptor = in.readUTF();
    }

    boolean isConstructor() {
        return name.equals("<init>");
    }

    boolean isInitialiser() {
        return name.equals("<clinit>");
    }

    String title(Replay replay) {
        return replay.types.get(type).title() + "." + name;
    }

    /** Calls it, and no method that overrides it. */
    Object invoke(Replay replay, Object receiver, Object[] arguments) throws Throwable {
        Object[] all = arguments;
        if (receiver != null) {
            all = new Object[arguments.length + 1];
            all[0] = receiver;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
        }
        MethodHandle handle = handle(replay);
        Player player = (Player) Thread.currentThread();
        player.runsInside = true;
        try {
            return (Object) handle.invokeExact(all);
        } finally {
            player.runsInside = false;
        }
    }

    private synchronized MethodHandle handle(Replay replay) {
        if (handle == null) {
            Class<?> c = replay.types.get(type).find(replay);
            try {
                MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(c, MethodHandles.lookup());
                // To list the methods would need the types of all of them.
                MethodType type =
                    MethodType.fromMethodDescriptorString(descriptor, c.getClassLoader());
                MethodHandle exact = isStatic ? lookup.findStatic(c, nameHere, type)
                    : lookup.findSpecial(c, nameHere, type, c);
                handle = exact.asFixedArity().asType(exact.type().generic())
                    .asSpreader(Object[].class, exact.type().parameterCount());
            } catch (ReflectiveOperationException | LinkageError | IllegalArgumentException
                    | TypeNotPresentException wrong) {
                throw new Unplayable("the method " + title(replay) + " cannot be had: " + wrong);
            }
        }
        return handle;
    }
}
