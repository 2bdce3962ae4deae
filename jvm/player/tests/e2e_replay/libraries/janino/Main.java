import org.codehaus.janino.*;

/** Compiles code while it runs, and calls it. */
public class Main {
    public interface Formula {
        double at(double x, double y);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            ExpressionEvaluator e = new ExpressionEvaluator();
            Formula f = (Formula) e.createFastEvaluator("x * " + i + " + Math.max(y, 2.5)", Formula.class, new String[] {"x", "y"});
            System.out.println(f.at(3, i));
        }
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.cook("public class Fib { public static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } }");
        Class<?> fib = compiler.getClassLoader().loadClass("Fib");
        System.out.println(fib.getMethod("fib", int.class).invoke(null, 12));
        try {
            new ScriptEvaluator().cook("int a = ;");
        } catch (org.codehaus.commons.compiler.CompileException e) {
            System.out.println(e.getMessage());
        }
    }
}
