package reprise.player;

/**
 * The recording contradicts itself, or lacks something. It is told when it is made:
 * inside code that catches everything may be on the way to who would tell.
 */
final class Unplayable extends Error {
    private static final long serialVersionUID = 1;

    Unplayable(String why) {
        super(why, null, false, false);
        Thread thread = Thread.currentThread();
        if (thread instanceof Player) {
            ((Player) thread).cannot(why);
        }
    }
}
