import java.io.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;

/** Writes the classes of a module or jar to one file: length and name, length and bytes. */
class Dump {
    public static void main(String[] args) throws Exception {
        Path base = args[1].endsWith(".jar")
            ? FileSystems.newFileSystem(Path.of(args[1]), (ClassLoader) null).getPath("/")
            : FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules", args[1]);
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
