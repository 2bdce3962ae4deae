// A value that is to be loaded once is loaded twice: nobody looks again.

public class Loader {
    private static volatile Integer value;
    private static int loads;
    private static int uses;

    private static synchronized void load() {
        loads++;
        value = 42;
    }

    private static void use() {
        if (value == null) {
            Noise.make();
            load();
        }
        count(value);
    }

    private static synchronized void count(int what) {
        uses += what > 0 ? 1 : 0;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(Loader::use, Loader::use, Loader::use);
        Noise.check(loads == 1, "it was loaded twice");
    }
}
