import java.io.InputStream;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.bcel.classfile.ClassParser;
import org.apache.bcel.classfile.JavaClass;
import org.apache.bcel.classfile.Method;
import org.apache.bcel.generic.ClassGen;
import org.apache.bcel.generic.MethodGen;

/** Reads the classes of a jar, prints a digest of them and writes them anew. */
public class Main {
    public static void main(String[] args) throws Exception {
        int left = Integer.parseInt(args[1]);
        try (JarFile jar = new JarFile(args[0])) {
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements() && left > 0; ) {
                JarEntry entry = all.nextElement();
                if (!entry.getName().endsWith(".class")) {
                    continue;
                }
                left--;
                try (InputStream in = jar.getInputStream(entry)) {
                    JavaClass type = new ClassParser(in, entry.getName()).parse();
                    ClassGen generated = new ClassGen(type);
                    long digest = type.toString().hashCode();
                    for (Method method : type.getMethods()) {
                        digest = digest * 31 + String.valueOf(method.getCode()).hashCode();
                        MethodGen body =
                            new MethodGen(method, type.getClassName(), generated.getConstantPool());
                        if (body.getInstructionList() != null) {
                            body.setMaxStack();
                            body.setMaxLocals();
                            digest = digest * 31 + body.getInstructionList().toString().hashCode();
                        }
                    }
                    System.out.println(type.getClassName() + " " + digest
                        + " " + generated.getJavaClass().getBytes().length);
                }
            }
        }
    }
}
