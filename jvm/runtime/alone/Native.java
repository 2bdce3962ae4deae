package reprise.runtime;

/** In the place of the agent: what it does for the runtime, in Java. */
final class Native {
    private static boolean begun;

    private Native() {}

    /** Called with the first event of each thread. */
    static synchronized void begin() {
        if (!begun) {
            begun = true;
            Alone.start();
        }
    }

    static long classInfo(Class<?> type, boolean isForeign) {
        return Catalog.classInfo(type, isForeign);
    }

    static boolean leaves(Class<?> type, int site) {
        return Members.leaves(type, site);
    }

    static boolean refersOutside(Class<?> owner, int site) {
        return Members.refersOutside(owner, site);
    }

    static boolean declares(Class<?> type, int site) {
        return Members.declares(type, site);
    }

    static boolean leavesValue(int site) {
        Tables.Site named = Tables.site(site);
        return named != null && named.leavesValue;
    }

    static int stripe(int site) {
        return Members.stripe(site);
    }

    static int value(byte[] constant) {
        return Catalog.value(constant);
    }

    /** A dry run is the agent's. */
    static void counted(byte[] text) {}

    /** What was written by reflection is said, not recorded: sites are known ahead of time. */
    static int fieldSite(int site, Class<?> owner, String name, String type, boolean isStatic) {
        left(owner.getName() + "." + name, owner.isArray()
            ? "the outside found an object there that no event has mentioned"
            : "it was set by reflection");
        return 0;
    }

    /** Without an agent only the class itself can be asked. */
    static String fields(Class<?> type) {
        return null;
    }

    static void exported(String module, String packageName) {
        Catalog.exported(module, packageName);
    }

    static void left(String what, String why) {
        Catalog.skipped(what, why);
    }

    static void skipped(String thread) {
        Catalog.skipped("thread " + thread, "no ring was free");
    }
}
