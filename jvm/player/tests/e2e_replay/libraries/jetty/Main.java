import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Serves requests. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                    throws IOException {
                response.setContentType("text/plain");
                response.getWriter().println("You asked for " + target + " " + request.getParameter("n"));
                base.setHandled(true);
            }
        });
        server.start();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            URL url = new URL("http://127.0.0.1:" + connector.getLocalPort() + "/page" + i % 3 + "?n=" + i);
            try (InputStream in = url.openStream()) {
                System.out.print(new String(in.readAllBytes(), "UTF-8"));
            }
        }
        server.stop();
    }
}
