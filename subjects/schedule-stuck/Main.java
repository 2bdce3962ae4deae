// Main opens a named pipe, which takes until somebody writes to it, and another thread waits
// for main.

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
        new FileInputStream("pipe").close();
        opened.countDown();
        other.join();
    }
}
