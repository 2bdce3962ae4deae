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
    /** What the thread was using when it was asked: two stripes each, or -1. */
    private int[] stripes = new int[8];
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
        if (size == levels.length) {
            levels = Arrays.copyOf(levels, size * 2);
            stripes = Arrays.copyOf(stripes, size * 4);
        }
        stripes[2 * size] = r.stripe;
        stripes[2 * size + 1] = r.second;
        if (r.stripe >= 0) {
            // The JVM links the very instruction that uses it: that has not begun.
            r.abandon();
        }
        r.pins();
        r.touch(site);
        levels[size++] = r.level;
    }

    void answered() {
        while (size > 0 && levels[size - 1] > r.level) {
            size--;
        }
        if (size > 0 && levels[size - 1] == r.level) {
            size--;
            r.touched();
            if (stripes[2 * size] >= 0) {
                r.shares(stripes[2 * size], stripes[2 * size + 1]);
            }
        }
    }
}
