package reprise.player;

/** In the place of one loader of the recorded program. */
final class Loader extends ClassLoader {
    /** Whether what is asked for is a supertype of an inside class. */
    private static final ThreadLocal<Boolean> DEFINING = ThreadLocal.withInitial(() -> false);

    private static final StackWalker WALKER =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    final int id;
    private final Types types;

    Loader(Types types, int id) {
        super(Loader.class.getClassLoader());
        this.types = types;
        this.id = id;
    }

    Class<?> define(byte[] bytes) {
        return defineClass(null, bytes, 0, bytes.length);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("reprise.player.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            Type type = types.seen(id, name.replace('.', '/'));
            if (type == null) {
                return super.loadClass(name, resolve);
            }
            if (type.guessed) {
                try {
                    return super.loadClass(name, resolve);
                } catch (ClassNotFoundException notTheJdks) {
                    // Then it was of the program; but had the supertype of an inside class
                    // been there, more than its name would be known.
                    if (DEFINING.get() || type.missing && isForInside()) {
                        throw notTheJdks;
                    }
                }
            }
            if (type.loader != id) {
                return types.loader(type.loader).loadClass(name);
            }
            byte[] bytes = type.inside ? type.bytes : Interfaces.allowed(type.bytes, this);
            boolean before = DEFINING.get();
            DEFINING.set(type.inside);
            try {
                return defineClass(name, bytes, 0, bytes.length);
            } finally {
                DEFINING.set(before);
            }
        }
    }

    /**
     * Whether it is inside code that needs the class which is asked for. The player itself needs
     * those in descriptors as well, which the program could do without.
     */
    private static boolean isForInside() {
        return WALKER.walk(frames -> frames
            .map(StackWalker.StackFrame::getDeclaringClass)
            .filter(c -> c != Loader.class && c.getClassLoader() != null)
            .findFirst()
            .map(c -> c.getClassLoader() instanceof Loader)
            .orElse(false));
    }
}
