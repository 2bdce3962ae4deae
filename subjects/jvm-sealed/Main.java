import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** A jar whose packages are sealed: what is inside is loaded from it, and nothing joins it. */
public class Main {
    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("sealed");
        Path sealed = folder.resolve("sealed.jar");
        Path other = folder.resolve("other.jar");
        jar(sealed, true, "Cart", "Price", "Item");
        jar(other, false, "Cart", "Late");
        URL[] jars = {sealed.toUri().toURL(), other.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            Class<?> cart = loader.loadClass("shop.Cart");
            Runnable made = (Runnable) cart.getConstructor().newInstance();
            made.run();
            System.out.println(made + " " + cart.getPackage().isSealed());
            try {
                System.out.println(loader.loadClass("shop.Late"));
            } catch (SecurityException e) {
                System.out.println("sealed");
            }
            made.run();
            System.out.println(made);
        }
        for (Path jar : new Path[] {sealed, other, folder}) {
            Files.delete(jar);
        }
    }

    private static void jar(Path path, boolean sealed, String... classes) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (sealed) {
            manifest.getMainAttributes().put(Attributes.Name.SEALED, "true");
        }
        try (OutputStream file = Files.newOutputStream(path);
                JarOutputStream jar = new JarOutputStream(file, manifest)) {
            for (String name : classes) {
                jar.putNextEntry(new JarEntry("shop/" + name + ".class"));
                jar.write(Files.readAllBytes(Path.of("shop", name + ".class")));
                jar.closeEntry();
            }
        }
    }
}
