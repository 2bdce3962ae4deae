import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Who knows how a protocol is spoken is asked of the program, once, unless threads need the same
 * protocol at the same time: the JDK has a table of those that are known, and nothing about it shows.
 */
public class Main {
    private static final int PROTOCOLS = 10;
    private static final CyclicBarrier TOGETHER = new CyclicBarrier(3);
    private static final AtomicIntegerArray ASKED = new AtomicIntegerArray(PROTOCOLS);
    private static final StringBuffer ORDER = new StringBuffer();

    /** Cannot connect to anything. */
    private static final class Handler extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) {
            throw new UnsupportedOperationException();
        }
    }

    @SuppressWarnings("deprecation")
    private static void work() {
        try {
            for (int i = 0; i < PROTOCOLS; i++) {
                TOGETHER.await();
                String text = "own" + i + "://nowhere";
                URL url = i % 2 == 0 ? new URL(text) : new URI(text).toURL();
                ORDER.append(Thread.currentThread().getName()).append(url.getProtocol().charAt(3)).append(' ');
            }
        } catch (Exception wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    public static void main(String[] arguments) throws Exception {
        URL.setURLStreamHandlerFactory(protocol -> {
            if (!protocol.startsWith("own")) {
                return null;
            }
            ASKED.incrementAndGet(protocol.charAt(3) - '0');
            return new Handler();
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(Main::work, "" + (char) ('a' + i)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(ORDER);
        System.out.println(ASKED);
    }
}
