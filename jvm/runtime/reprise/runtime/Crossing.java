package reprise.runtime;

import java.util.Arrays;

import jdk.internal.vm.annotation.DontInline;

/** The arrays of one thread that are crossing the boundary. */
final class Crossing {
    /** Those that the event being written brings in. */
    private Object[] incoming = new Object[4];
    /** Whether each of them is new. */
    private boolean[] first = new boolean[4];
    private int incomingCount;
    /** Those given to outcalls that are open, with what they held. */
    private Object[] given = new Object[4];
    private Object[] before = new Object[4];
    private int[] levels = new int[4];
    private int givenCount;

    /** Those of objects that the event being written takes out. */
    private Object[][] leaving = new Object[4][];
    private int leavingCount;

    /** Inside objects that came in and had not been mentioned before. */
    private Object[] adopted = new Object[4];
    private int adoptedCount;
    /** Of those that were adopted, the ones that are not complete; null when all are. */
    Unsettled unsettled;

    /** How many of all four there are: asked at every event. */
    private int all;

    boolean isEmpty() {
        return all == 0;
    }

    void adopts(Object o) {
        if (adoptedCount == adopted.length) {
            adopted = Arrays.copyOf(adopted, adoptedCount * 2);
        }
        adopted[adoptedCount++] = o;
        all++;
    }

    void leaves(Object[] array) {
        if (leavingCount == leaving.length) {
            leaving = Arrays.copyOf(leaving, leavingCount * 2);
        }
        leaving[leavingCount++] = array;
        all++;
    }

    void comesIn(Object array, boolean isFirst) {
        if (incomingCount == incoming.length) {
            incoming = Arrays.copyOf(incoming, incomingCount * 2);
            first = Arrays.copyOf(first, incomingCount * 2);
        }
        incoming[incomingCount] = array;
        first[incomingCount++] = isFirst;
        all++;
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
        all++;
    }

    /** Writes what came in, and what the outcalls above a level have changed. */
    @DontInline
    void write(Recorder r, int level) {
        for (int i = 0; i < leavingCount; i++) {
            Object[] array = leaving[i];
            leaving[i] = null;
            Watched.One one = Watched.of(array);
            if (one != null) {
                one.goesOut(r, array);
            } else {
                r.exposeElements(array, 0, array.length);
            }
        }
        leavingCount = 0;
        while (givenCount > 0 && levels[givenCount - 1] > level) {
            givenCount--;
            Object now = given[givenCount];
            Object then = before[givenCount];
            given[givenCount] = null;
            before[givenCount] = null;
            int from = Elements.mismatch(now, then);
            if (from >= 0) {
                int type = Elements.type(now);
                int end = Elements.end(now, then, type, from);
                Watched.knows(now, from, end);
                r.elements(now, type, from, end);
            }
        }
        // What is written may bring in more of both.
        int arrays = 0;
        int objects = 0;
        boolean inProgress = adoptedCount > 0 && Unsettled.isInProgress();
        while (arrays < incomingCount || objects < adoptedCount) {
            if (arrays < incomingCount) {
                Object array = incoming[arrays];
                boolean isNew = first[arrays];
                incoming[arrays++] = null;
                Watched.comesIn(r, array, isNew);
            } else {
                Object object = adopted[objects];
                adopted[objects++] = null;
                r.adopt(object, Adopted.fields(object));
                if (inProgress) {
                    if (unsettled == null) {
                        unsettled = new Unsettled();
                    }
                    unsettled.add(object, level);
                }
            }
        }
        incomingCount = 0;
        adoptedCount = 0;
        all = givenCount;
    }
}
