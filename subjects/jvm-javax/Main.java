import com.sun.mailed.Mail;
import javax.naming.CompositeName;
import javax.naming.InvalidNameException;
import javax.served.Servlet;

/** Libraries whose packages begin like those of the JDK. */
public class Main {
    public static void main(String[] args) throws InvalidNameException {
        Servlet servlet = new Answers();
        System.out.println(servlet.serve(new Mail("a")));
        System.out.println(servlet.serve(() -> "lambda"));
        System.out.println(((Answers) servlet).parts(new CompositeName("x/y")));
    }
}

class Answers extends Servlet {
    private Object last = "none";

    Answers() {
        path = "/answers/";
    }

    @Override
    protected String answer(Request request) {
        String before = last instanceof Mail ? "mail " + ((Mail) last).name() : "" + (last instanceof Request);
        last = request;
        return before + ", " + Mail.of(" b ").name() + ", " + (request instanceof Mail ? request.getClass().getName() : "other");
    }

    /** One of the JDK's own. */
    String parts(CompositeName name) {
        return name.size() + " " + name.get(1);
    }
}
