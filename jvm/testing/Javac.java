import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles again and again in one JVM, which is ten times as fast as to start one each time.
 * A request is a line with the number of arguments, and a line for each of them. The answer is
 * the status and the length of what was said, each in four bytes, and that text. It ends with
 * its input.
 */
final class Javac {
    public static void main(String[] none) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new DataOutputStream(System.out);
        for (String count = in.readLine(); count != null; count = in.readLine()) {
            var arguments = new String[Integer.parseInt(count)];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = in.readLine();
            }
            var said = new ByteArrayOutputStream();
            int status = compiler.run(null, said, said, arguments);
            out.writeInt(status);
            out.writeInt(said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
