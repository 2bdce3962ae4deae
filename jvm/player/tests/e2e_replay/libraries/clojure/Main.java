import clojure.java.api.Clojure;
import clojure.lang.IFn;

/** Reads and evaluates: collections, laziness, atoms, futures, transactions, macros. */
public class Main {
    private static final String[] FORMS = {
        "(reduce + (map inc (range 100)))",
        "(->> (range 50) (filter odd?) (map #(* % %)) (take 5) vec)",
        "(let [a (atom {})] (dotimes [i 20] (swap! a assoc i (* i i))) (get @a 7))",
        "(sort (frequencies (clojure.string/split \"a b a c b a\" #\" \")))",
        "(do (defmacro unless [c & b] `(if ~c nil (do ~@b))) (unless false 1 2 3))",
        "(let [r (ref 0) fs (doall (for [_ (range 4)] (future (dotimes [_ 10] (dosync (alter r inc))))))]"
            + " (run! deref fs) @r)",
        "(let [p (promise)] (future (deliver p 42)) @p)",
        "(loop [i 0 acc []] (if (< i 5) (recur (inc i) (conj acc (str i))) acc))",
        "(try (/ 1 0) (catch ArithmeticException e (.getMessage e)))",
        "(do (defprotocol Shape (area [s])) (defrecord Box [a b] Shape (area [_] (* a b))) (area (->Box 3 4)))",
        "(let [m (with-meta [1 2] {:k 1})] (:k (meta m)))",
        "(into (sorted-map) (zipmap [:a :b :c] (range)))",
    };

    public static void main(String[] arguments) {
        IFn read = Clojure.var("clojure.core", "read-string");
        IFn eval = Clojure.var("clojure.core", "eval");
        IFn require = Clojure.var("clojure.core", "require");
        require.invoke(read.invoke("clojure.string"));
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            for (String form : FORMS) {
                System.out.println(eval.invoke(read.invoke(form)));
            }
        }
        Clojure.var("clojure.core", "shutdown-agents").invoke();
    }
}
