import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.bcel.Const;
import org.apache.bcel.Repository;
import org.apache.bcel.classfile.ClassParser;
import org.apache.bcel.classfile.ConstantPool;
import org.apache.bcel.classfile.DescendingVisitor;
import org.apache.bcel.classfile.EmptyVisitor;
import org.apache.bcel.classfile.JavaClass;
import org.apache.bcel.classfile.LineNumber;
import org.apache.bcel.classfile.LocalVariable;
import org.apache.bcel.classfile.Method;
import org.apache.bcel.generic.ClassGen;
import org.apache.bcel.generic.ConstantPoolGen;
import org.apache.bcel.generic.INVOKEVIRTUAL;
import org.apache.bcel.generic.Instruction;
import org.apache.bcel.generic.InstructionFactory;
import org.apache.bcel.generic.InstructionHandle;
import org.apache.bcel.generic.InstructionList;
import org.apache.bcel.generic.MethodGen;
import org.apache.bcel.generic.TargetLostException;
import org.apache.bcel.generic.Type;
import org.apache.bcel.util.InstructionFinder;
import org.apache.bcel.util.SyntheticRepository;
import org.apache.bcel.verifier.VerificationResult;
import org.apache.bcel.verifier.Verifier;
import org.apache.bcel.verifier.VerifierFactory;
import org.apache.bcel.verifier.structurals.ControlFlowGraph;

/** Reads the classes of a jar and prints, verifies, analyses, rewrites or searches them. */
public class Main {
    /** Arguments: what to do, the jar, every how-manieth class, how many, and how many times. */
    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int rounds = args.length > 4 ? Integer.parseInt(args[4]) : 1; rounds > 0; rounds--) {
            round(args[0].split(","), args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        }
        if (Boolean.getBoolean("cost")) {
            System.err.println("cost " + (System.nanoTime() - start)
                + " " + ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
        }
    }

    private static void round(String[] work, String file, int skip, int left) throws Exception {
        try (JarFile jar = new JarFile(file)) {
            List<JarEntry> entries = jar.stream()
                .filter(entry -> entry.getName().endsWith(".class"))
                .collect(Collectors.toList());
            for (int i = skip / 2; i < entries.size() && left > 0; i += skip, left--) {
                JarEntry entry = entries.get(i);
                try (InputStream in = jar.getInputStream(entry)) {
                    JavaClass type = new ClassParser(in, entry.getName()).parse();
                    long digest = 0;
                    for (String one : work) {
                        digest = digest * 31 + work(one, type);
                    }
                    System.out.println(type.getClassName() + " " + digest);
                }
            }
        }
    }

    private static long work(String work, JavaClass type) throws Exception {
        switch (work) {
            case "print": return print(type);
            case "verify": return verify(type);
            case "rewrite": return rewrite(type);
            case "search": return search(type);
            default: throw new IllegalArgumentException(work);
        }
    }

    private static long print(JavaClass type) {
        long digest = type.toString().hashCode();
        for (Method method : type.getMethods()) {
            digest = digest * 31 + String.valueOf(method.getCode()).hashCode();
            digest = digest * 31 + method.toString().hashCode();
        }
        Count count = new Count();
        new DescendingVisitor(type, count).visit();
        return digest * 31 + count.lines + count.variables;
    }

    static class Count extends EmptyVisitor {
        int lines;
        int variables;

        @Override
        public void visitLineNumber(LineNumber line) {
            lines += line.getLineNumber();
        }

        @Override
        public void visitLocalVariable(LocalVariable variable) {
            variables += variable.getName().length();
        }
    }

    private static long verify(JavaClass type) throws Exception {
        long digest = 0;
        Repository.addClass(type);
        Verifier verifier = VerifierFactory.getVerifier(type.getClassName());
        digest += verifier.doPass1().getStatus();
        VerificationResult second = verifier.doPass2();
        digest = digest * 31 + second.getStatus();
        if (second.getStatus() == VerificationResult.VERIFIED_OK) {
            for (int i = 0; i < type.getMethods().length; i++) {
                try {
                    digest = digest * 31 + verifier.doPass3a(i).getStatus();
                    VerificationResult last = verifier.doPass3b(i);
                    digest = digest * 31 + last.getStatus();
                    digest = digest * 31 + last.getMessage().length();
                } catch (UnsupportedOperationException lambda) {
                    digest = digest * 31 + lambda.getMessage().hashCode();
                }
            }
        }
        try {
            digest = digest * 31 + Arrays.hashCode(verifier.getMessages());
        } catch (UnsupportedOperationException lambda) {
            digest = digest * 31 + lambda.getMessage().hashCode();
        }
        Repository.clearCache();
        VerifierFactory.clear();
        return digest;
    }

    private static long rewrite(JavaClass type) throws Exception {
        ClassGen generated = new ClassGen(type);
        ConstantPoolGen pool = generated.getConstantPool();
        InstructionFactory factory = new InstructionFactory(generated, pool);
        for (Method method : generated.getMethods()) {
            MethodGen body = new MethodGen(method, generated.getClassName(), pool);
            InstructionList list = body.getInstructionList();
            if (list == null) {
                continue;
            }
            InstructionList greeting = new InstructionList();
            greeting.append(factory.createPrintln("enters " + method.getName()));
            list.insert(greeting);
            for (InstructionHandle handle : list.getInstructionHandles()) {
                if (handle.getInstruction().getOpcode() == Const.NOP) {
                    try {
                        list.delete(handle);
                    } catch (TargetLostException lost) {
                        for (InstructionHandle target : lost.getTargets()) {
                            target.getTargeters()[0].updateTarget(target, list.getStart());
                        }
                    }
                }
            }
            body.setInstructionList(list);
            body.removeAttributes();
            body.setMaxStack();
            body.setMaxLocals();
            generated.replaceMethod(method, body.getMethod());
            list.dispose();
        }
        JavaClass changed = generated.getJavaClass();
        byte[] bytes = changed.getBytes();
        JavaClass again = new ClassParser(new java.io.ByteArrayInputStream(bytes), "again").parse();
        ConstantPool written = again.getConstantPool();
        return Arrays.hashCode(bytes) * 31L + written.getLength();
    }

    private static long search(JavaClass type) {
        long digest = 0;
        ClassGen generated = new ClassGen(type);
        List<String> called = new ArrayList<>();
        for (Method method : type.getMethods()) {
            MethodGen body = new MethodGen(method, type.getClassName(), generated.getConstantPool());
            InstructionList list = body.getInstructionList();
            if (list == null) {
                continue;
            }
            InstructionFinder finder = new InstructionFinder(list);
            finder.search("(ALOAD|ILOAD) (INVOKEVIRTUAL|GETFIELD)", match -> match.length == 2)
                .forEachRemaining(match -> called.add(match[0].toString(false)));
            for (Instruction instruction : list.getInstructions()) {
                if (instruction instanceof INVOKEVIRTUAL) {
                    called.add(((INVOKEVIRTUAL) instruction).getMethodName(generated.getConstantPool()));
                }
                digest = digest * 31 + instruction.produceStack(generated.getConstantPool())
                    - instruction.consumeStack(generated.getConstantPool());
            }
            ControlFlowGraph graph = new ControlFlowGraph(body);
            digest = digest * 31 + graph.getInstructionContexts().length;
            for (Type argument : body.getArgumentTypes()) {
                digest = digest * 31 + argument.getSignature().hashCode();
            }
        }
        called.sort(null);
        return digest * 31 + called.hashCode();
    }
}
