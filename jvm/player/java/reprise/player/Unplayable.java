package reprise.player;

/** The recording contradicts itself, or lacks something. */
final class Unplayable extends Error {
    private static final long serialVersionUID = 1;

    Unplayable(String why) {
        super(why, null, false, false);
    }
}
