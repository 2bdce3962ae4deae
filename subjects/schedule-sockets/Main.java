// A server and its clients in one program, closed: they meet through sockets of the loopback.
// Who is served first, and who adds to the total when, is up to the scheduler.
//
// "channels": the same with channels, and with a selector for the connections.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Main {
    private static final int CLIENTS = 3;
    /** Not guarded: threads of the server lose updates. */
    private static int served;
    private static final List<String> LINES = Collections.synchronizedList(new ArrayList<>());

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            channels();
        } else {
            streams();
        }
        LINES.forEach(System.out::println);
        System.out.println("served " + served);
    }

    private static void streams() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        ServerSocket server = new ServerSocket(0, 10, here);
        Thread acceptor = new Thread(() -> accept(server));
        acceptor.start();
        List<Thread> clients = new ArrayList<>();
        for (int number = 0; number < CLIENTS; number++) {
            int own = number;
            Thread client = new Thread(() -> ask(here, server.getLocalPort(), own));
            client.start();
            clients.add(client);
        }
        for (Thread client : clients) {
            client.join();
        }
        // The acceptor waits for another one, and is told that there will be none.
        server.close();
        acceptor.join();
    }

    private static void accept(ServerSocket server) {
        List<Thread> threads = new ArrayList<>();
        try {
            for (;;) {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> serve(socket));
                thread.start();
                threads.add(thread);
            }
        } catch (SocketException closed) {
            LINES.add("closed");
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    private static void serve(Socket socket) {
        try (socket;
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                PrintWriter out = new PrintWriter(socket.getOutputStream(), true)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                served++;
                out.println("answer to " + line);
            }
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
    }

    private static void ask(InetAddress host, int port, int number) {
        try (Socket socket = new Socket(host, port);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                PrintWriter out = new PrintWriter(socket.getOutputStream(), true)) {
            for (int question = 0; question < 3; question++) {
                out.println("question " + question + " of " + number);
                LINES.add(in.readLine());
            }
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
    }

    private static void channels() throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        List<Thread> clients = new ArrayList<>();
        for (int number = 0; number < CLIENTS; number++) {
            int own = number;
            Thread client = new Thread(() -> talk(server, own));
            client.start();
            clients.add(client);
        }
        server.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            server.register(selector, SelectionKey.OP_ACCEPT);
            for (int open = CLIENTS; open > 0; ) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isAcceptable()) {
                        SocketChannel channel = server.accept();
                        if (channel != null) {
                            channel.configureBlocking(false);
                            channel.register(selector, SelectionKey.OP_READ);
                        }
                    } else {
                        open -= answer((SocketChannel) key.channel());
                    }
                }
                selector.selectedKeys().clear();
            }
        }
        for (Thread client : clients) {
            client.join();
        }
        server.close();
    }

    /** Sends back what has come, with one added to each byte; 1 when nothing will come. */
    private static int answer(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(16);
        int count = channel.read(buffer);
        if (count < 0) {
            channel.close();
            return 1;
        }
        buffer.flip();
        for (int at = 0; at < count; at++) {
            served++;
            buffer.put(at, (byte) (buffer.get(at) + 1));
        }
        channel.write(buffer);
        return 0;
    }

    private static void talk(ServerSocketChannel server, int number) {
        try (SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
            ByteBuffer buffer = ByteBuffer.allocate(1);
            for (int turn = 0; turn < 3; turn++) {
                buffer.put(0, (byte) (10 * number + turn)).rewind();
                channel.write(buffer);
                buffer.rewind();
                channel.read(buffer);
                LINES.add("byte " + buffer.get(0));
            }
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
    }
}
