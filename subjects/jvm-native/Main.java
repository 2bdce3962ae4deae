import java.util.function.IntUnaryOperator;

/**
 * Native methods of inside classes, and native code that calls back, fills arrays, uses fields
 * and throws.
 */
public class Main {
    public static void main(String[] args) {
        System.loadLibrary("native");
        Inside inside = new Inside();
        System.out.println(Inside.twice(21) + " " + inside.uses());
        System.out.println(inside.fills());
        System.out.println(inside.back());
        System.out.println(inside.throwsUp());
        System.out.println(reads(inside, "outside"));
        System.out.println(make(5).value());
        Handle handle = new Handle();
        handle.open();
        System.out.println(handle.state() + " " + Library.versions());
        System.out.println(Library.apply(Inside.twices(), 7));
    }

    /** Calls inside.length(text). */
    static native int reads(Inside inside, String text);

    /** new Inside(value). */
    static native Inside make(int value);
}

class Base {
    protected long address;
}

/** What native code keeps for itself in fields, as those do that have something to close. */
class Handle extends Base {
    private Object name = "closed";
    private boolean isOpen;
    private double ratio;
    private final int[] counts = new int[2];

    native void open();

    /** What is in counts. */
    private static native int[] counts(Handle handle);

    String state() {
        int[] found = counts(this);
        found[1] = 3;
        return name + " " + isOpen + " " + ratio + " " + (address != 0) + " " + counts[1] + (found == counts);
    }
}

/** Calls native methods of other classes. */
class Library {
    private static int version;
    private static String text;

    static String versions() {
        int twice = Inside.twice(10);
        Version.tell();
        return version + " " + text + " " + twice + Version.half(twice);
    }

    static int apply(IntUnaryOperator function, int to) {
        return function.applyAsInt(to);
    }
}

class Version {
    static native int half(int i);

    /** Sets the fields of Library. */
    static native void tell();
}

class Inside {
    private int calls;

    Inside() {}

    Inside(int calls) {
        this.calls = calls;
    }

    static native int twice(int i);

    private native long fill(int[] numbers, String[] texts);

    private native Object callback(String text);

    private native void fail(String text);

    static IntUnaryOperator twices() {
        return Inside::twice;
    }

    int uses() {
        return twice(4) + twice(twice(1));
    }

    String fills() {
        int[] numbers = {1, 2, 3};
        String[] texts = {"a", null};
        long sum = fill(numbers, texts);
        return sum + " " + numbers[1] + texts[0] + texts[1];
    }

    String back() {
        Object result = callback("back");
        return result + " " + calls + (result == this);
    }

    String throwsUp() {
        try {
            fail("no");
            return "went on";
        } catch (IllegalStateException e) {
            return e.getMessage() + calls;
        }
    }

    int length(String text) {
        calls++;
        return text.length() + twice(calls);
    }

    int value() {
        return calls;
    }

    @Override
    public String toString() {
        return "inside";
    }
}
