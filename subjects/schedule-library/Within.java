// What threads meet by within calls of the JDK, which say nothing of that: bins of a map that
// grows, the connections that clients of HTTP use again, iterators, and cells of a table; and
// monitors that they do not share.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

final class Within {
    private static final int CLIENTS = 3;
    private static final int REQUESTS = 4;

    private Within() {}

    /** The map grows while threads that have one of its bins are called back. */
    static void growing() throws Exception {
        Map<Integer, Integer> map = new ConcurrentHashMap<>(2);
        AtomicInteger calls = new AtomicInteger();
        Main.together(4, number -> {
            for (int i = 0; i < 150; i++) {
                int key = (i * 7 + number) % 100;
                int value = map.computeIfAbsent(key, wanted -> {
                    int call = calls.incrementAndGet();
                    for (int j = 0; j < 200; j++) {
                        Main.turns++;
                    }
                    return call;
                });
                if (value % 16 == number) {
                    map.remove(key);
                    Main.mark(number);
                }
            }
        });
        Main.print("growing " + calls + " " + map.size());
    }

    /** Clients connect, write and read in one call, and one may use what another has opened. */
    static void clients() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        AtomicInteger answers = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread accepts = new Thread(() -> {
                try {
                    while (true) {
                        Socket socket = server.accept();
                        int number = connections.incrementAndGet();
                        Thread serves = new Thread(() -> serve(socket, number, answers));
                        serves.setDaemon(true);
                        serves.start();
                    }
                } catch (IOException closed) {
                    // As it should be.
                }
            });
            accepts.start();
            String address = "http://127.0.0.1:" + server.getLocalPort() + "/";
            Main.together(CLIENTS, number -> {
                for (int i = 0; i < REQUESTS; i++) {
                    try (InputStream in = new URL(address + number).openConnection().getInputStream()) {
                        Main.mark(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
                    }
                }
            });
            server.close();
            accepts.join();
        }
        Main.print("clients " + connections + " " + answers);
    }

    private static void serve(Socket socket, int number, AtomicInteger answers) {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            while (true) {
                String line = in.readLine();
                if (line == null) {
                    return;
                }
                if (line.isEmpty()) {
                    String text = "(" + number + ":" + answers.incrementAndGet() + ")";
                    String answer = "HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text;
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException wrong) {
            Main.mark(wrong);
        }
    }

    /** A queue of the program's own class, used by its interface. */
    private static final class Messages extends ConcurrentLinkedQueue<Integer> {
        private static final long serialVersionUID = 1;
    }

    /** Some go through what others put in and take out. */
    static void iterators() throws Exception {
        Map<Integer, Integer> map = new ConcurrentHashMap<>();
        Queue<Integer> queue = new Messages();
        AtomicInteger sum = new AtomicInteger();
        Main.together(4, number -> {
            for (int i = 0; i < 60; i++) {
                if (number < 2) {
                    map.put(i % 20, i);
                    map.remove((i + 10) % 20);
                    queue.offer(i);
                    continue;
                }
                int found = 0;
                for (int value : map.values()) {
                    found += value;
                }
                Integer message = queue.poll();
                List<Integer> keys = new ArrayList<>(map.keySet());
                sum.addAndGet(found + 31 * keys.size() + (message == null ? 0 : message));
            }
        });
        Main.print("iterators " + sum);
    }

    /** A table whose cells are filled one by one, and a field that has a handle. */
    private static final class Table {
        private static final VarHandle FILLED;

        static {
            try {
                FILLED = MethodHandles.lookup().findVarHandle(Table.class, "filled", int.class);
            } catch (ReflectiveOperationException wrong) {
                throw new ExceptionInInitializerError(wrong);
            }
        }

        volatile Integer[] cells = new Integer[64];
        int filled;

        int use(int at) {
            if (cells[at] == null) {
                cells[at] = filled;
                FILLED.getAndAdd(this, 1);
            }
            return cells[at];
        }
    }

    static void cells() throws Exception {
        Table table = new Table();
        AtomicInteger sum = new AtomicInteger();
        Main.together(3, number -> {
            int own = 0;
            for (int i = 0; i < 64; i++) {
                own = 31 * own + table.use((i * (2 * number + 1)) % 64);
            }
            sum.addAndGet(own);
        });
        Main.print("cells " + table.filled + " " + sum);
    }

    /** Each has monitors of its own, of which there are many, and leaves them after all have met. */
    static void monitors() throws Exception {
        Main.together(3, number -> {
            for (int i = 0; i < 3000; i++) {
                synchronized (new Object()) {
                    Main.turns = number;
                }
            }
        });
        Main.print("monitors " + Main.turns);
    }
}
