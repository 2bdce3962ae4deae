import java.io.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;

/** Writes the classes of java.base to one file: length and name, length and bytes. */
class Dump {
    public static void main(String[] args) throws Exception {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        List<Path> files = new ArrayList<>();
        try (var walk = Files.walk(base)) {
            walk.filter(f -> f.toString().endsWith(".class")).sorted().forEach(files::add);
        }
        try (var out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(args[0]), 1 << 20))) {
            for (Path file : files) {
                byte[] name = base.relativize(file).toString().getBytes("UTF-8");
                byte[] bytes = Files.readAllBytes(file);
                out.writeInt(name.length);
                out.write(name);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
    }
}
