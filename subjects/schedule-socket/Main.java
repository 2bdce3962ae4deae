// Two threads that meet through a socket: one waits for a connection, the other one makes
// it. The scheduler does not see that, so the program cannot run one thread at a time.

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

public class Main {
    public static void main(String[] arguments) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here)) {
            Thread client = new Thread(() -> {
                try (Socket socket = new Socket(here, server.getLocalPort())) {
                    socket.getOutputStream().write(1);
                } catch (IOException wrong) {
                    throw new UncheckedIOException(wrong);
                }
            });
            client.start();
            try (Socket socket = server.accept()) {
                System.out.println("came " + socket.getInputStream().read());
            }
            client.join();
        }
    }
}
