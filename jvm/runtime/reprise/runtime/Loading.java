package reprise.runtime;

import java.util.Arrays;

/**
 * Who asks an inside class loader. Inside code that does so says it beforehand; what
 * comes unannounced while inside code runs is the JVM, which needs a class just
 * then, and in a replay will not: so it is a call from outside, in a TOUCH that no
 * instruction stands for.
 */
final class Loading {
    private final Recorder r;
    /** Whether inside code is about to ask. */
    boolean announced;
    /** The levels at which the JVM has asked and has no answer yet. */
    private int[] levels = new int[4];
    private int size;

    Loading(Recorder r) {
        this.r = r;
    }

    void asked(int site) {
        boolean byInside = announced;
        announced = false;
        if (byInside || (r.level & 1) == 0) {
            return;
        }
        r.pins();
        r.touch(site);
        if (size == levels.length) {
            levels = Arrays.copyOf(levels, size * 2);
        }
        levels[size++] = r.level;
    }

    void answered() {
        while (size > 0 && levels[size - 1] > r.level) {
            size--;
        }
        if (size > 0 && levels[size - 1] == r.level) {
            size--;
            r.touched();
        }
    }
}
