/** Static initialisers on both sides, set off by a call, a field and a new. */
public class Main {
    public static void main(String[] args) {
        System.out.println(Inside.answer());
        System.out.println(Inside.fails());
        System.out.println(Other.VALUE);
    }
}

class Inside {
    static int base = Integer.parseInt("40");

    static int answer() {
        return base + Outside.two + new Noisy().one;
    }

    static String fails() {
        try {
            return "" + Broken.value;
        } catch (ExceptionInInitializerError e) {
            return "broken";
        }
    }

    static int called() {
        return 2;
    }
}

/** Its initialiser calls back although the inside has called nothing. */
class Outside {
    static int two = Inside.called();
}

class Noisy {
    static {
        Inside.called();
    }

    int one = 1;
}

class Broken {
    static int value = Integer.parseInt("x");
}

class Other {
    static final String VALUE = "other".trim();
}
