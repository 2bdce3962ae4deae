import groovy.lang.Binding;
import groovy.lang.GroovyShell;

/** Compiles and runs scripts. */
public class Main {
    private static final String[] SCRIPTS = {
        "(1..10).collect { it * n }.findAll { it % 2 == 0 }.sum()",
        "def m = [a: 1, b: 2]; m.c = n; m.collect { k, v -> \"$k=$v\" }.join(',')",
        "class P { String name; int age; String toString() { \"$name/$age\" } }\n[new P(name: 'x', age: n)] as String",
        "def fib; fib = { it < 2 ? it : fib(it - 1) + fib(it - 2) }; fib(9)",
        "'a-b-c'.split('-').toList().reverse().toString() + ('abc' =~ /b/).find()",
        "try { null.size() } catch (NullPointerException e) { 'none' }",
        "@groovy.transform.CompileStatic int twice(int x) { x * 2 }\ntwice(n)",
    };

    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            for (String script : SCRIPTS) {
                Binding binding = new Binding();
                binding.setVariable("n", i + 3);
                System.out.println(new GroovyShell(binding).evaluate(script));
            }
        }
    }
}
