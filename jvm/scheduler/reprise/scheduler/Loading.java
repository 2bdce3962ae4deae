package reprise.scheduler;

/** What class loaders of the program answer when they are asked for the scheduler. */
public final class Loading {
    private static final String PACKAGE = "reprise.scheduler.";

    private Loading() {}

    public static boolean isOwn(String name) {
        return name != null && name.startsWith(PACKAGE);
    }

    public static Class<?> own(String name) throws ClassNotFoundException {
        return Class.forName(name, false, null);
    }
}
