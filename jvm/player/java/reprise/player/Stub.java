package reprise.player;

/** What the inside classes call in the place of the outside; drawn in jvm/probes/src/replay. */
public final class Stub {
    private Stub() {}

    private static Player player() {
        Thread thread = Thread.currentThread();
        if (thread instanceof Player) {
            return (Player) thread;
        }
        throw new Unplayable("an inside method runs in " + thread);
    }

    /** Whether a call or an access leaves the inside, with this receiver. */
    public static boolean leaves(Object receiver, int site) {
        if (receiver == null) {
            return false;
        }
        Player player = player();
        if (Constants.isValue(receiver)) {
            return !player.replay.site(site).runsOnValues;
        }
        if (player.replay.site(site).usesHandle() && player.replay.handles.isOwn(receiver)) {
            return false;
        }
        Class<?> type = receiver.getClass();
        return player.replay.functions.refersOutside(type)
            || player.replay.site(site).leaves(player.replay, type)
            || player.replay.functions.leaves(player.replay, receiver, null, site);
    }

    /** The same for a call, whose first argument may decide if the receiver is a function. */
    public static boolean leaves(Object receiver, Object first, int site) {
        return leaves(receiver, site) || receiver != null
            && player().replay.functions.leaves(player().replay, receiver, first, site);
    }

    /** Whether a static member is outside. */
    public static boolean leaves(int site) {
        Player player = player();
        return player.replay.site(site).leaves(player.replay);
    }

    /** A call. */
    public static Object call(Object[] all, int site) {
        Player player = player();
        try {
            return player.answers.call(player.replay.site(site), all);
        } finally {
            player.runsInside = true;
        }
    }

    /** A constructor of an outside class; the first argument is the object. */
    public static Object construct(Object[] all, int site) {
        Player player = player();
        try {
            player.answers.construct(player.replay.site(site), all);
        } finally {
            player.runsInside = true;
        }
        return null;
    }

    /** The same by an inside constructor, for its own object. */
    public static Object constructSuper(Object[] all, int site) {
        return construct(all, site);
    }

    /** A field is read. */
    public static Object read(Object[] all, int site) {
        Player player = player();
        player.runsInside = false;
        try {
            return player.answers.read(player.replay.site(site), all);
        } finally {
            player.runsInside = true;
        }
    }

    /** A field is written. */
    public static Object write(Object[] all, int site) {
        Player player = player();
        try {
            player.answers.write(player.replay.site(site), all);
        } finally {
            player.runsInside = true;
        }
        return null;
    }

    /** A new object, whose constructor has not run. */
    public static Object allocate(int site) {
        Player player = player();
        player.runsInside = false;
        try {
            return player.answers.allocate(player.replay.site(site));
        } finally {
            player.runsInside = true;
        }
    }

    /**
     * Two objects are about to be compared by identity. What stands in the place of
     * the second is the first if, and only if, they were the same.
     */
    public static Object compared(Object a, Object b, int site) {
        if (a == null || b == null || a.getClass() != b.getClass()
                || !Constants.isValue(a) || !a.equals(b)) {
            return b;
        }
        Player player = player();
        player.runsInside = false;
        try {
            boolean same = player.answers.compared(player.replay.site(site), a == b);
            return same ? a : a == b ? player : b;
        } finally {
            player.runsInside = true;
        }
    }

    /** A class is about to be resolved, although nothing of it is called. */
    public static void touches(int site) {
        Player player = player();
        player.runsInside = false;
        try {
            player.answers.touches(player.replay.site(site));
        } finally {
            player.runsInside = true;
        }
    }

    /** A static member of an inside class is about to be used, which may initialise it. */
    public static void uses(int site) {
        Player player = player();
        Site use = player.replay.site(site);
        if (!use.isInitialised) {
            player.replay.initialisers.await(player, use);
        }
    }

    /** The initialiser of a stand-in runs. */
    public static void initialises(int site) {
        if (Thread.currentThread() instanceof Player) {
            Player player = player();
            player.answers.initialises(player.replay.site(site));
        }
    }

    /** The initialiser of the class of a site has ended. */
    public static void initialised(int site) {
        Player player = player();
        player.replay.initialisers.ended(player.replay.site(site).in);
    }

    /** A method of which nothing is known was called. */
    public static void lost(int site) {
        Site method = player().replay.site(site);
        throw new Unplayable(method.title + " was called, and what it did was not recorded");
    }

    /** A volatile field is about to be used. */
    public static void shares(Object receiver) {
        if (receiver != null) {
            shares();
        }
    }

    /** A monitor is about to be entered. */
    public static void enters(Object monitor) {
        if (monitor != null) {
            player().turns.enters(monitor);
        }
    }

    /** The same where there is no object. */
    public static void shares() {
        player().turns.shares();
    }

    /** That has happened. */
    public static void shared() {
        player().turns.shared();
    }

    /** An element is about to be used. */
    public static void sharesElement(Object array, int index) {
        shares(array);
    }

    /** Elements are about to be moved, from an array or to one. */
    public static void sharesArrays(Object one, Object other) {
        if (isArray(one)) {
            shares();
        }
        if (isArray(other)) {
            shares();
        }
    }

    public static void sharedArrays(Object one, Object other) {
        if (isArray(one) || isArray(other)) {
            shared();
        }
    }

    private static boolean isArray(Object object) {
        return object != null && object.getClass().isArray();
    }

    /** An object as a string, as String.valueOf has it. */
    public static String string(Object o, int site) {
        if (o == null) {
            return "null";
        }
        return leaves(o, site) ? (String) call(new Object[] {o}, site) : o.toString();
    }

    /** What the constructor of Enum does. */
    public static void enumConstant(Object constant, String name, int ordinal) {
        Memory.setEnum(constant, name, ordinal);
        player().replay.constants.enumConstant(constant, name);
    }

    /** An object is being made that would be finalized. */
    public static void made(Object o) {
        player().made(o);
    }

    /** A lambda that is being made captures an object. */
    public static void captured(Object o) {
        player().expose(o);
    }

    /** A lambda was made: the recorder looks its class up here. */
    public static void function(Object function) {
        player().replay.functions.meets(function.getClass());
    }

    /** A function that was made refers to a method that may be outside. */
    public static void refers(Object function, int site) {
        Replay replay = player().replay;
        replay.functions.meets(function.getClass());
        if (replay.site(site).leaves(replay)) {
            replay.functions.refersOutside.add(function.getClass());
        }
    }

    /** To one of which a receiver decides that it has captured. */
    public static void refersByCaptured(Object function, int site) {
        player().replay.functions.refersBy(function.getClass(), player().replay.site(site), true);
    }

    /** The same for its first argument. */
    public static void refersByFirst(Object function, int site) {
        player().replay.functions.refersBy(function.getClass(), player().replay.site(site), false);
    }

    /** A function that was made refers to an outside method. */
    public static void refersOutside(Object function) {
        Functions functions = player().replay.functions;
        functions.meets(function.getClass());
        functions.refersOutside.add(function.getClass());
    }
}
