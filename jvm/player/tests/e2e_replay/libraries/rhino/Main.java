import org.mozilla.javascript.Context;
import org.mozilla.javascript.ScriptableObject;

/** Runs JavaScript, interpreted and compiled. */
public class Main {
    private static final String[] SCRIPTS = {
        "var s = 0; for (var i = 0; i < 100; i++) { s += i * i; } s",
        "[3, 1, 2].sort(function (a, b) { return b - a; }).map(function (x) { return x * 2; }).join()",
        "JSON.stringify({a: [1, 2, {b: 'text'}], c: null})",
        "function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } f(12)",
        "'a1b22c'.replace(/[0-9]+/g, function (m) { return '<' + m + '>'; })",
        "try { null.x } catch (e) { e.name }",
        "java.lang.Math.max(3, new java.util.ArrayList([1, 2]).size())",
    };

    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Context context = Context.enter();
            try {
                context.setOptimizationLevel(i % 2 == 0 ? -1 : 9);
                ScriptableObject scope = context.initStandardObjects();
                for (String script : SCRIPTS) {
                    System.out.println(Context.toString(context.evaluateString(scope, script, "it", 1, null)));
                }
            } finally {
                Context.exit();
            }
        }
    }
}
