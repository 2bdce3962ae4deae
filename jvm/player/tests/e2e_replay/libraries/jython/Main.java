import org.python.util.PythonInterpreter;

/** Runs Python. */
public class Main {
    private static final String[] SCRIPTS = {
        "print sum(x * x for x in range(20) if x % 2)",
        "class A(object):\n    def __init__(self, n): self.n = n\n    def __repr__(self): return 'A(%d)' % self.n\nprint [A(i) for i in range(3)]",
        "d = dict((c, ord(c)) for c in 'abc'); print sorted(d.items())",
        "try:\n    1 / 0\nexcept ZeroDivisionError, e:\n    print e",
        "def g():\n    for i in (1, 2, 3):\n        yield i * 10\nprint list(g()), 'x'.join(['a', 'b']), 2 ** 70",
        "from java.util import ArrayList\nl = ArrayList(); l.add(5); print l, len(l)",
    };

    public static void main(String[] arguments) {
        System.setProperty("python.import.site", "false");
        System.setProperty("python.cachedir.skip", "true");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try (PythonInterpreter interpreter = new PythonInterpreter()) {
                interpreter.setOut(System.out);
                for (String script : SCRIPTS) {
                    interpreter.exec(script);
                }
            }
        }
    }
}
