import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** The same class in two loaders, reached by reflection. */
public class Main {
    public static void main(String[] args) throws Exception {
        URL[] here = {new File(".").toURI().toURL()};
        for (int i = 0; i < 2; i++) {
            ClassLoader loader = new URLClassLoader(here, ClassLoader.getPlatformClassLoader());
            Class<?> twin = loader.loadClass("Twin");
            Object made = twin.getDeclaredConstructor().newInstance();
            System.out.println(twin.getMethod("count", int.class).invoke(made, i));
        }
        System.out.println(new Twin().count(9));
    }
}
