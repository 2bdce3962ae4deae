// Two threads: one reads what comes in, and says how much came at once; the other counts it.

import java.io.InputStream;
import java.util.concurrent.LinkedBlockingQueue;

public class Main {
    public static void main(String[] arguments) throws Exception {
        LinkedBlockingQueue<Integer> pieces = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> {
            byte[] bytes = new byte[100];
            try {
                InputStream in = new java.io.FileInputStream(java.io.FileDescriptor.in);
                for (int read = in.read(bytes); ; read = in.read(bytes, 0, 100)) {
                    pieces.add(read);
                    if (read < 0) {
                        return;
                    }
                }
            } catch (java.io.IOException wrong) {
                pieces.add(-1);
            }
        });
        reader.start();
        StringBuilder text = new StringBuilder();
        for (int piece = pieces.take(); piece >= 0; piece = pieces.take()) {
            text.append(' ').append(piece);
        }
        reader.join();
        System.out.println("pieces" + text);
    }
}
