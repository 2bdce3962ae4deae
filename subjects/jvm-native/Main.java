/** Native methods of an inside class, and native code that calls back, fills arrays and throws. */
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
    }

    /** Calls inside.length(text). */
    static native int reads(Inside inside, String text);

    /** new Inside(value). */
    static native Inside make(int value);
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
