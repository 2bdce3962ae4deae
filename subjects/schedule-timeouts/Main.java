// Waits that run out: of one whose monitor another has that waits longer, of one while another
// looks for its end in a loop, and of one that reads.

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public class Main {
    private static volatile boolean done;

    /** The first time to run out is that of who cannot go on then. */
    private static void monitor() throws InterruptedException {
        Object monitor = new Object();
        CountDownLatch both = new CountDownLatch(1);
        Thread waits = new Thread(() -> {
            synchronized (monitor) {
                both.countDown();
                try {
                    monitor.wait(50);
                } catch (InterruptedException interrupted) {
                    System.out.println("nobody does that");
                }
                System.out.println("has waited");
            }
        });
        Thread has = new Thread(() -> {
            try {
                both.await();
            } catch (InterruptedException interrupted) {
                System.out.println("nobody does that");
            }
            synchronized (monitor) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                System.out.println("has had it");
            }
        });
        waits.start();
        has.start();
        waits.join();
        has.join();
    }

    private static void loop() throws InterruptedException {
        Thread waits = new Thread(() -> {
            try {
                new LinkedBlockingQueue<String>().poll(100, TimeUnit.MILLISECONDS);
            } catch (InterruptedException interrupted) {
                System.out.println("nobody does that");
            }
            done = true;
        });
        waits.start();
        while (!done) {
            Thread.sleep(1);
        }
        waits.join();
        System.out.println("done");
    }

    private static void reads() throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            accepted.setSoTimeout(1500);
            Thread other = new Thread(() -> LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(60)));
            other.setDaemon(true);
            other.start();
            long begun = System.nanoTime();
            try {
                accepted.getInputStream().read(new byte[10]);
                System.out.println("nobody writes");
            } catch (SocketTimeoutException late) {
                long millis = (System.nanoTime() - begun) / 1_000_000;
                System.out.println(late.getMessage() + (millis < 2900 ? "" : " twice"));
            }
            client.getOutputStream().write(1);
            System.out.println("read " + accepted.getInputStream().read());
        }
    }

    public static void main(String[] arguments) throws Exception {
        monitor();
        loop();
        reads();
    }
}
