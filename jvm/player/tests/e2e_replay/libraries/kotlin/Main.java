import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Compiles a Kotlin program. Its class files were shrunk: frames leave out what is not used any more. */
public class Main {
    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("kotlin");
        Path source = folder.resolve("shapes.kt");
        Files.writeString(source, String.join("\n",
            "sealed class Shape { abstract val area: Int }",
            "data class Square(val side: Int) : Shape() { override val area get() = side * side }",
            "object Nothing : Shape() { override val area = 0 }",
            "fun <T : Shape> total(shapes: List<T>, of: (T) -> Int = { it.area }) = shapes.sumOf { of(it) }",
            "fun main() = println(total(listOf(Square(2), Square(3), Nothing)))"));
        String library = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(jar -> jar.contains("kotlin-stdlib-1")).findFirst().get();
        PrintStream quiet = new PrintStream(PrintStream.nullOutputStream());
        ExitCode code = new K2JVMCompiler().exec(quiet, "-no-reflect", "-no-stdlib", "-cp", library,
            "-d", folder.toString(), source.toString());
        String[] made = folder.toFile().list((in, name) -> name.endsWith(".class"));
        Arrays.sort(made);
        System.out.println(code + " " + String.join(" ", made));
        for (File file : folder.toFile().listFiles()) {
            if (file.isFile()) {
                file.delete();
            }
        }
    }
}
