package reprise.runtime;

/**
 * Which packages of the JDK the program may use although they are not exported to everybody, by
 * {@code --add-exports} or by what its jar says: a replay has to let it use them, too.
 */
final class Exports {
    private Exports() {}

    static void tell() {
        Module unnamed = ClassLoader.getSystemClassLoader().getUnnamedModule();
        for (Module module : ModuleLayer.boot().modules()) {
            if (isOfProgram(module)) {
                continue;
            }
            for (String name : module.getPackages()) {
                if (!module.isExported(name) && isExported(module, name, unnamed)) {
                    Native.exported(module.getName(), name);
                }
            }
        }
    }

    private static boolean isExported(Module module, String name, Module unnamed) {
        if (module.isExported(name, unnamed)) {
            return true;
        }
        for (Module other : ModuleLayer.boot().modules()) {
            if (isOfProgram(other) && module.isExported(name, other)) {
                return true;
            }
        }
        return false;
    }

    /** The JDK has modules of the same loader, but these are its own. */
    private static boolean isOfProgram(Module module) {
        return module.getClassLoader() == ClassLoader.getSystemClassLoader()
            && !module.getName().startsWith("jdk.") && !module.getName().startsWith("java.");
    }
}
