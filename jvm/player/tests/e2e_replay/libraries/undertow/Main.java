import io.undertow.Undertow;
import io.undertow.util.Headers;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;

/** Serves requests. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        Undertow server = Undertow.builder().setIoThreads(1).setWorkerThreads(2).addHttpListener(0, "127.0.0.1",
            exchange -> {
                exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
                exchange.getResponseSender().send("You asked for " + exchange.getRequestPath());
            }).build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try (InputStream in = new URL("http://127.0.0.1:" + port + "/page" + i).openStream()) {
                System.out.println(new String(in.readAllBytes(), "UTF-8"));
            }
        }
        server.stop();
    }
}
