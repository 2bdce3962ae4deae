import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Serves requests. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        File folder = Files.createTempDirectory("it").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "it", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                request.getSession().setAttribute("n", request.getParameter("n"));
                response.getWriter().print("You asked for " + request.getRequestURI() + " "
                    + request.getSession().getAttribute("n"));
            }
        });
        context.addServletMappingDecoded("/*", "it");
        tomcat.start();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            URL url = new URL("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/page?n=" + i);
            try (InputStream in = url.openStream()) {
                System.out.println(new String(in.readAllBytes(), "UTF-8"));
            }
        }
        tomcat.stop();
        tomcat.destroy();
    }
}
