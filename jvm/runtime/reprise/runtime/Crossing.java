package reprise.runtime;

import java.util.Arrays;

/** The arrays of one thread that are crossing the boundary. */
final class Crossing {
    /** Those that the event being written brings in. */
    private Object[] incoming = new Object[4];
    private int incomingCount;
    /** Those given to outcalls that are open, with what they held. */
    private Object[] given = new Object[4];
    private Object[] before = new Object[4];
    private int[] levels = new int[4];
    private int givenCount;

    boolean isEmpty() {
        return incomingCount == 0 && givenCount == 0;
    }

    void comesIn(Object array) {
        if (incomingCount == incoming.length) {
            incoming = Arrays.copyOf(incoming, incomingCount * 2);
        }
        incoming[incomingCount++] = array;
    }

    void isGiven(Object array, int level) {
        if (givenCount == given.length) {
            given = Arrays.copyOf(given, givenCount * 2);
            before = Arrays.copyOf(before, givenCount * 2);
            levels = Arrays.copyOf(levels, givenCount * 2);
        }
        given[givenCount] = array;
        before[givenCount] = Elements.copy(array);
        levels[givenCount++] = level;
    }

    /** Writes what came in, and what the outcalls above a level have changed. */
    void write(Recorder r, int level) {
        while (givenCount > 0 && levels[givenCount - 1] > level) {
            givenCount--;
            Object now = given[givenCount];
            Object then = before[givenCount];
            given[givenCount] = null;
            before[givenCount] = null;
            int from = Elements.mismatch(now, then);
            if (from >= 0) {
                int type = Elements.type(now);
                r.elements(now, type, from, Elements.end(now, then, type, from));
            }
        }
        // Arrays of arrays add to the list while it is written.
        for (int i = 0; i < incomingCount; i++) {
            Object array = incoming[i];
            incoming[i] = null;
            r.elements(array, Elements.type(array), 0, java.lang.reflect.Array.getLength(array));
        }
        incomingCount = 0;
    }
}
