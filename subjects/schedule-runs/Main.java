// Leaves traces that another run in the same JVM would find, and writes the number of its
// process to the file `processes`. It ends with status 7 if it finds such traces. The
// argument says what else it does: `left` leaves threads that wait for ever, `common` uses
// the JDK's common pool, `hook` has a shutdown hook, `throws` throws in main, `endless`
// does not end.

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ForkJoinPool;

public class Main {
    private static int runs;

    public static void main(String[] arguments) throws Exception {
        Files.writeString(Path.of("processes"), ProcessHandle.current().pid() + "\n",
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        boolean first = ++runs == 1 && System.getProperty("main.ran") == null
                && !(System.out instanceof Marked) && arguments[1].equals("two words");
        System.setProperty("main.ran", "yes");
        System.setOut(new Marked(System.out));
        Thread other = new Thread(() -> runs++);
        other.start();
        other.join();
        switch (arguments[0]) {
            case "left":
                for (int i = 0; i < 60; i++) {
                    Thread waits = new Thread(() -> {
                        synchronized (Main.class) {
                            try {
                                Main.class.wait();
                            } catch (InterruptedException never) {
                                System.exit(8);
                            }
                        }
                    });
                    waits.setDaemon(true);
                    waits.start();
                }
                break;
            case "common":
                ForkJoinPool.commonPool().submit(() -> runs++).join();
                break;
            case "hook":
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {}));
                break;
            case "endless":
                while (runs > 0) {
                    Thread.onSpinWait();
                }
                break;
            case "throws":
                throw new IllegalStateException("as it should be");
            default:
        }
        System.exit(first ? 0 : 7);
    }

    private static final class Marked extends PrintStream {
        Marked(PrintStream to) {
            super(to);
        }
    }
}
