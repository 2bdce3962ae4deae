// Threads that meet through pipes: one of the JDK, one of the system, into which more is
// written than it holds, and those of another process, which one thread asks and another
// waits for.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;

public class Main {
    /** More than a pipe holds. */
    private static final int BYTES = 300_000;
    private static final StringBuffer ORDER = new StringBuffer();

    public static void main(String[] arguments) throws Exception {
        within();
        large();
        through();
        told();
        System.out.println("order " + ORDER);
    }

    private static void within() throws Exception {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out, 4);
        Thread writer = new Thread(() -> {
            try (out) {
                for (String word : new String[] {"one", "twothree", "four"}) {
                    ORDER.append('w');
                    out.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
                    out.flush();
                }
            } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
            }
        });
        writer.start();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                ORDER.append('r');
                System.out.println(line);
            }
        }
        writer.join();
    }

    private static void large() throws Exception {
        Pipe pipe = Pipe.open();
        Thread writer = new Thread(() -> {
            try (Pipe.SinkChannel sink = pipe.sink()) {
                ORDER.append('W');
                ByteBuffer[] both = {ByteBuffer.allocate(10), ByteBuffer.allocate(BYTES - 10)};
                sink.write(both);
                ORDER.append('W');
            } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
            }
        });
        writer.start();
        long count = 0;
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        for (int read = 0; read >= 0; read = pipe.source().read(buffer)) {
            count += read;
            buffer.clear();
        }
        ORDER.append('R');
        writer.join();
        System.out.println(count + " bytes");
    }

    /** The JDK tells of the end of a process, by a thread of its own. */
    private static void told() throws Exception {
        Process process = new ProcessBuilder("sleep", "0.3").start();
        Thread waiter = new Thread(() -> {
            process.onExit().join();
            ORDER.append('T');
        });
        waiter.start();
        waiter.join();
        System.out.println("ended " + process.exitValue());
    }

    private static void through() throws Exception {
        Process process = new ProcessBuilder("cat").start();
        Thread waiter = new Thread(() -> {
            try {
                int status = process.waitFor();
                ORDER.append('E');
                System.out.println("status " + status);
            } catch (InterruptedException wrong) {
                throw new IllegalStateException(wrong);
            }
        });
        waiter.start();
        Thread asker = new Thread(() -> {
            try (OutputStream out = process.getOutputStream();
                    BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
                for (int question = 0; question < 3; question++) {
                    out.write(("question " + question + "\n").getBytes(StandardCharsets.US_ASCII));
                    out.flush();
                    ORDER.append('q');
                    System.out.println(in.readLine());
                    ORDER.append('a');
                }
            } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
            }
        });
        asker.start();
        asker.join();
        waiter.join();
    }
}
