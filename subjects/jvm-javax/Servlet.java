package javax.served;

/** A class of a library in a package that begins like those of the JDK. */
public abstract class Servlet {
    protected String path = "/";

    public String serve(Request request) {
        return path + request.name() + ": " + answer(request);
    }

    protected abstract String answer(Request request);

    /** Another of them, which is an interface. */
    public interface Request {
        String name();
    }
}
