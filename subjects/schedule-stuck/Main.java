// Main opens a named pipe and reads from it, which takes until somebody writes to it, and
// another thread waits for main.

import java.io.FileInputStream;
import java.util.concurrent.CountDownLatch;

public class Main {
    public static void main(String[] arguments) throws Exception {
        CountDownLatch opened = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            try {
                opened.await();
                System.out.println("opened");
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        });
        other.start();
        Thread.sleep(1);
        try (FileInputStream pipe = new FileInputStream("pipe")) {
            pipe.read(new byte[1]);
        }
        opened.countDown();
        other.join();
    }
}
