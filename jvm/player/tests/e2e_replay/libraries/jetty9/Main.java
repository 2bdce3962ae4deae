import java.io.*;
import java.net.*;
import javax.servlet.http.*;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.servlet.*;

/** Servlets of the old packages, asked over the loopback. */
public class Main {
    public static class Hello extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.setHeader("X-Page", request.getParameter("page"));
            response.getWriter().println("page " + request.getParameter("page") + " of " + request.getPathInfo());
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(0);
        ((ServerConnector) server.getConnectors()[0]).setHost("127.0.0.1");
        ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS);
        context.addServlet(Hello.class, "/hello/*");
        server.setHandler(context);
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            URL url = new URL("http://127.0.0.1:" + port + "/hello/a?page=" + i);
            try (BufferedReader in = new BufferedReader(new InputStreamReader(url.openStream()))) {
                System.out.println(in.readLine());
            }
        }
        server.stop();
    }
}
