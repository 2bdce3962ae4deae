package reprise.player;

/** In the place of an exception that nobody saw: super() has thrown into outside code. */
final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unknown() {
        super(null, null, false, false);
    }
}
