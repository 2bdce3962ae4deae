import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.IntFunction;

/**
 * Many runs in one JVM. Each has classes of its own, so that nothing is left of
 * one run when the next begins, as if it had a JVM of its own.
 */
public class Main {
    public static void main(String[] args) throws Exception {
        int inputs = Integer.parseInt(args[0]);
        URL[] paths = {url("work/"), url("nanoxml.jar")};
        for (int i = 0; i < inputs; i++) {
            try (URLClassLoader own = new URLClassLoader(paths)) {
                Object work = own.loadClass("Work").getDeclaredConstructor().newInstance();
                @SuppressWarnings("unchecked")
                IntFunction<String> run = (IntFunction<String>) work;
                System.out.println(i + " " + run.apply(i));
            }
        }
    }

    private static URL url(String path) throws MalformedURLException {
        return new File(path).toURI().toURL();
    }
}
