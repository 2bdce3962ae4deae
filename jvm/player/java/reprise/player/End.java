package reprise.player;

/** Ends a thread whose recording has come to its end, or that has been stopped. */
final class End extends Error {
    private static final long serialVersionUID = 1;

    End() {
        super(null, null, false, false);
    }
}
