/** String builders that a method keeps to itself, which leave no event, and others, which do. */
public class Main {
    public static void main(String[] args) {
        Scribe scribe = new Scribe();
        System.out.println(scribe.chain("a", 1, 'c'));
        System.out.println(scribe.loop(5));
        System.out.println(scribe.nested(3));
        System.out.println(scribe.chosen(true) + scribe.chosen(false));
        System.out.println(scribe.deeper(3) + scribe.deeper(-3) + scribe.deeper(0));
        System.out.println(scribe.ofTwo(true) + scribe.ofTwo(false));
        System.out.println(scribe.same(true) + " " + scribe.same(false));
        System.out.println(scribe.buffer());
        System.out.println(scribe.outOfBounds());
        System.out.println(scribe.none());
        System.out.println(scribe.reused());
        // These let one out.
        StringBuilder out = scribe.returned();
        out.append(" and more");
        System.out.println(scribe.taken(out));
        System.out.println(scribe.kept());
        System.out.println(scribe.given());
        System.out.println(scribe.object(new Main()));
        System.out.println(scribe.merged(true) + scribe.merged(false));
        System.out.println(scribe.either(new StringBuilder("theirs")));
        System.out.println(scribe.mineOr(new StringBuilder("theirs"), true));
        System.out.println(scribe.mineOr(new StringBuilder("theirs"), false));
    }

    static void take(StringBuilder builder) {
        builder.append(" outside");
    }

    static int length(CharSequence text) {
        return text.length();
    }

    @Override
    public String toString() {
        return "main";
    }
}

class Scribe {
    private StringBuilder field;

    String chain(String a, int b, char c) {
        return new StringBuilder().append(a).append(b).append(c).append(2.5).append(true).append(7L).toString();
    }

    String loop(int count) {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            if (text.length() > 1) {
                text.append(", ");
            }
            text.append(i * i);
        }
        text.setLength(text.length() - 1);
        return text.append(']').reverse().insert(0, "=").toString();
    }

    String nested(int count) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            StringBuilder line = new StringBuilder(16);
            line.append("line ").append(i).append('\n');
            all.append(line);
        }
        return all.toString();
    }

    /** Two paths meet while one is on the stack. */
    String chosen(boolean first) {
        return new StringBuilder("chosen ").append(first ? "one" : "two").toString();
    }

    /** The same within each other, in a constructor and with a loop between. */
    String deeper(int n) {
        StringBuilder text = new StringBuilder(n < 0 ? "minus " : n > 0 ? "plus " : "");
        for (int i = 0; i < 2; i++) {
            text.append(i == 0 ? "<" : n > 0 ? n % 2 == 0 ? "even" : "odd" : ">").append(n != 0 && i > 0 ? 'x' : 'y');
        }
        return text.append(n > 0 ? n : -n).toString();
    }

    /** Either of two that are its own. */
    String ofTwo(boolean first) {
        StringBuilder one = new StringBuilder("1");
        StringBuilder two = new StringBuilder("2");
        (first ? one : two).append(" of two");
        return one.append('/').append(two).toString();
    }

    /** Two are compared. */
    boolean same(boolean same) {
        StringBuilder one = new StringBuilder("same");
        StringBuilder two = same ? one : new StringBuilder("other");
        return one == two;
    }

    String buffer() {
        StringBuffer buffer = new StringBuffer();
        buffer.append("buffer").deleteCharAt(0);
        return buffer.toString();
    }

    String outOfBounds() {
        StringBuilder text = new StringBuilder("ab");
        try {
            return "" + text.charAt(7);
        } catch (StringIndexOutOfBoundsException e) {
            return "none at 7 of " + text;
        }
    }

    String none() {
        StringBuilder text = null;
        try {
            text.append("x");
            return "there";
        } catch (NullPointerException e) {
            return "nothing";
        }
    }

    /** One local for two variables. */
    String reused() {
        String result;
        {
            StringBuilder one = new StringBuilder("one");
            result = one.toString();
        }
        {
            String two = result.concat("two");
            result = two;
        }
        return result;
    }

    StringBuilder returned() {
        StringBuilder text = new StringBuilder("let go");
        text.append('!');
        return text;
    }

    String taken(StringBuilder theirs) {
        return theirs.append("; seen").toString();
    }

    String kept() {
        field = new StringBuilder("field");
        Main.take(field);
        return field.append('.').toString();
    }

    String given() {
        StringBuilder text = new StringBuilder("given");
        Main.take(text);
        int length = Main.length(text);
        return text.append(length).toString();
    }

    /** Calls toString of an outside object. */
    String object(Object other) {
        return new StringBuilder("with ").append(other).toString();
    }

    /** A builder or something else, in one local. */
    String merged(boolean builder) {
        Object what;
        if (builder) {
            StringBuilder text = new StringBuilder("some");
            text.append("thing");
            what = text;
        } else {
            what = "else";
        }
        return "" + what;
    }

    String either(StringBuilder theirs) {
        StringBuilder text = theirs.length() > 3 ? theirs : new StringBuilder();
        text.append(" or mine");
        return text.toString();
    }

    String mineOr(StringBuilder theirs, boolean mine) {
        StringBuilder own = new StringBuilder("mine");
        (mine ? own : theirs).append(" or theirs");
        return own.append(" alone").toString();
    }
}
