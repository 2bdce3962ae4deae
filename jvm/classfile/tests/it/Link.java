import java.nio.file.*;
import java.util.*;

/** Links, and so verifies, the classes that a file names one per line. */
class Link {
    public static void main(String[] args) throws Exception {
        int linked = 0, skipped = 0, failed = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                // Asking for its methods links a class but does not run it.
                Class.forName(name, false, Link.class.getClassLoader()).getDeclaredMethods();
                linked++;
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                failed++;
                System.out.println("FAILED " + name + ": " + e);
            } catch (LinkageError | ClassNotFoundException e) {
                // An optional dependency that is not there.
                skipped++;
            }
        }
        System.out.println("linked " + linked + " skipped " + skipped + " failed " + failed);
    }
}
