package reprise.runtime;

import java.lang.ref.WeakReference;
import java.util.ArrayList;

/**
 * Arrays that both sides hold: the outside may write to one at any time, with no
 * call that names it.
 *
 * What the inside leaves in them is noted whenever it hands over, and whatever
 * is different when it goes on is recorded then. That costs a look at each of
 * them at every event, so there are few: those that the inside keeps in a field
 * and that cross, and those that the JDK is known to keep.
 */
final class Watched {
    /** How many there may be, and how many elements they may have together. */
    private static final int MOST = 64;
    private static final int MOST_ELEMENTS = 1 << 14;

    private static final class One extends WeakReference<Object> {
        final int length;
        Object before;

        One(Object array) {
            super(array);
            length = java.lang.reflect.Array.getLength(array);
            before = Elements.copy(array);
        }
    }

    private static final ArrayList<One> ALL = new ArrayList<>();
    private static int elements;
    private static boolean reported;
    /** How many there are: most programs have none. */
    static int count;

    private Watched() {}

    static synchronized void add(Object array) {
        for (int i = ALL.size() - 1; i >= 0; i--) {
            Object known = ALL.get(i).get();
            if (known == array) {
                return;
            }
            if (known == null) {
                forget(i);
            }
        }
        int length = java.lang.reflect.Array.getLength(array);
        if (ALL.size() >= MOST || elements + length > MOST_ELEMENTS) {
            if (!reported) {
                reported = true;
                Native.left("arrays that both sides hold",
                    "there are too many of them to look at each time");
            }
            return;
        }
        ALL.add(new One(array));
        elements += length;
        count = ALL.size();
        addElements(array);
    }

    private static void addElements(Object array) {
        if (array instanceof Object[]) {
            for (Object element : (Object[]) array) {
                if (element != null && element.getClass().isArray()) {
                    add(element);
                }
            }
        }
    }

    private static void forget(int i) {
        elements -= ALL.remove(i).length;
        count = ALL.size();
    }

    /** The inside hands over. */
    static synchronized void leave() {
        for (int i = ALL.size() - 1; i >= 0; i--) {
            One one = ALL.get(i);
            Object array = one.get();
            if (array == null) {
                forget(i);
            } else if (Elements.mismatch(array, one.before) >= 0) {
                one.before = Elements.copy(array);
            }
        }
    }

    /** What is in an array was recorded just now. */
    static synchronized void recorded(Object array) {
        for (One one : ALL) {
            if (one.get() == array) {
                one.before = Elements.copy(array);
            }
        }
    }

    /** The inside goes on: what was written meanwhile. */
    static void enter(Recorder r) {
        ArrayList<Object> changed = null;
        synchronized (Watched.class) {
            for (One one : ALL) {
                Object array = one.get();
                if (array != null && Elements.mismatch(array, one.before) >= 0) {
                    changed = changed == null ? new ArrayList<>() : changed;
                    changed.add(array);
                    changed.add(one.before);
                    one.before = Elements.copy(array);
                }
            }
        }
        for (int i = 0; changed != null && i < changed.size(); i += 2) {
            Object now = changed.get(i);
            Object then = changed.get(i + 1);
            int type = Elements.type(now);
            int from = Elements.mismatch(now, then);
            if (from >= 0) {
                r.elements(now, type, from, Elements.end(now, then, type, from));
                addElements(now);
            }
        }
    }
}
