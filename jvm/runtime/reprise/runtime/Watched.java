package reprise.runtime;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

import jdk.internal.vm.annotation.DontInline;

/**
 * Arrays that both sides hold: the outside may write to one at any time, with no
 * call that names it.
 *
 * What the inside believes to be in them is remembered, and compared with what is
 * there when the inside reads an element: a difference is recorded then. What the
 * inside itself writes, it believes. So an array costs nothing while it is not
 * used, and a use looks at one element. A longer one that comes in again and again
 * is remembered, too: only what is new in it is recorded.
 *
 * Looking up takes no lock. A reader may miss an array that is being added: its
 * elements were recorded just now.
 */
final class Watched {
    /** How many there may be, and how many elements they may have together: there are copies. */
    private static final int MOST = 1 << 16;
    private static final int MOST_ELEMENTS = 1 << 22;
    /** From this length on it pays to remember an array that comes in often. */
    private static final int LONG = 16;
    /** Up to this length it is remembered when it goes out, where threads race. */
    private static final int RACED = 1 << 12;

    static final class One extends WeakReference<Object> {
        final int hash;
        final int length;
        final Object before;
        /** The thread that has recorded what is in it: what another has is not before its own events. */
        int thread;
        /** What the inside has written since it last went out: from one index to another. */
        int from;
        int to;
        volatile One next;

        One(Object array, int hash, int thread, One next) {
            super(array, GONE);
            this.hash = hash;
            this.thread = thread;
            this.next = next;
            length = java.lang.reflect.Array.getLength(array);
            to = length;
            before = Elements.copy(array);
        }

        /** The inside writes from one index to another. */
        void writes(int start, int end) {
            from = Math.min(from, start);
            to = Math.max(to, end);
        }

        /** The outside can reach what is in it; what it could reach before has its number. */
        void goesOut(Recorder r, Object[] array) {
            int start = from;
            int end = to;
            r.exposeElements(array, start, end);
            if (from == start && to == end) {
                from = length;
                to = 0;
            }
        }
    }

    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    private static final One[] NONE = new One[1];
    /** As many places as there may be arrays; made when the first one comes. */
    private static volatile One[] table = NONE;
    private static int elements;
    private static boolean reported;
    /** How many there are: most programs have none. */
    private static int count;
    /** Which lengths there are, as a set of their last bits: most other arrays are told by that. */
    private static long lengths;
    /** Whether an inside method uses elements and does not tell. */
    private static boolean untold;

    private Watched() {}

    static boolean isAny() {
        return count != 0;
    }

    /** Whether an array of this length may be one of them. */
    static boolean mayBe(int length) {
        return (lengths >>> length & 1) != 0;
    }

    private static One find(Object array) {
        int hash = System.identityHashCode(array);
        One[] all = table;
        for (One one = all[hash & all.length - 1]; one != null; one = one.next) {
            if (one.hash == hash && one.get() == array) {
                return one;
            }
        }
        return null;
    }

    static void add(Object array) {
        if (find(array) == null && addNew(array, true)) {
            addElements(array);
        }
    }

    /**
     * An array goes out for which inside threads may race meanwhile: what they write to it is not the
     * outside's. A long one is compared when the call returns, as where nobody races.
     */
    static void racedFor(Object array) {
        if (java.lang.reflect.Array.getLength(array) <= RACED && find(array) == null) {
            boolean locks = locks(Recorders.current(), array);
            addNew(array, false);
            unlocks(locks, array);
        }
    }

    private static synchronized boolean addNew(Object array, boolean isNeeded) {
        forget();
        int length = java.lang.reflect.Array.getLength(array);
        if (find(array) != null || length == 0) {
            return false;
        }
        if (count >= MOST || elements + length > MOST_ELEMENTS) {
            if (isNeeded && !reported) {
                reported = true;
                Native.left("arrays that both sides hold", "there are too many of them");
            }
            return false;
        }
        if (table == NONE) {
            table = new One[MOST];
        }
        One[] all = table;
        int hash = System.identityHashCode(array);
        int slot = hash & all.length - 1;
        all[slot] = new One(array, hash, Recorders.current().thread, all[slot]);
        elements += length;
        count++;
        lengths |= 1L << length;
        return true;
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

    /** Removes what the collector has cleared. */
    private static void forget() {
        for (One gone = (One) GONE.poll(); gone != null; gone = (One) GONE.poll()) {
            One[] all = table;
            int slot = gone.hash & all.length - 1;
            One before = null;
            for (One one = all[slot]; one != null; before = one, one = one.next) {
                if (one == gone) {
                    if (before == null) {
                        all[slot] = one.next;
                    } else {
                        before.next = one.next;
                    }
                    count--;
                    elements -= gone.length;
                    break;
                }
            }
        }
    }

    /** An array comes in: what is in it is recorded, as far as this thread has not done so before. */
    @DontInline
    static void comesIn(Recorder r, Object array, boolean isFirst) {
        int type = Elements.type(array);
        int length = java.lang.reflect.Array.getLength(array);
        One one = count == 0 ? null : find(array);
        if (one != null && Recorder.races) {
            // Whatever a thread reads or writes there has its turn: nobody needs what others have.
            boolean locks = locks(r, array);
            comesInAgain(r, array, type, one);
            unlocks(locks, array);
            return;
        }
        if (one != null && one.thread == r.thread) {
            comesInAgain(r, array, type, one);
            return;
        }
        // Remembered first: what is written to it meanwhile is then noticed, and recorded again.
        if (one != null) {
            System.arraycopy(array, 0, one.before, 0, length);
            one.thread = r.thread;
        } else if (Recorder.races) {
            racedFor(array);
        } else if (!isFirst && length >= LONG) {
            addNew(array, true);
        }
        r.elements(array, type, 0, length);
    }

    private static void comesInAgain(Recorder r, Object array, int type, One one) {
        int from = Elements.mismatch(array, one.before);
        if (from >= 0) {
            int end = Elements.end(array, one.before, type, from);
            System.arraycopy(array, from, one.before, from, end - from);
            r.elements(array, type, from, end);
        }
    }

    /** Keeps others from writing to an array, unless this thread keeps others from one already. */
    private static boolean locks(Recorder r, Object array) {
        boolean locks = r.stripe < 0;
        if (locks) {
            Order.lock(r.thread, Order.ofArray(array));
        }
        return locks;
    }

    private static void unlocks(boolean locked, Object array) {
        if (locked) {
            Order.unlock(Order.ofArray(array));
        }
    }

    /** The inside is about to read an element. */
    @DontInline
    static void reads(Object array, int index) {
        One one = find(array);
        if (one != null && Elements.differ(array, one.before, index)) {
            look(one, array);
        }
    }

    /** The inside is about to read any of them. */
    @DontInline
    static void reads(Object array) {
        One one = find(array);
        if (one != null) {
            look(one, array);
        }
    }

    /**
     * The inside is about to read an element that it has the turn for. What the outside has written
     * comes with the event that says who had it before; if there was none, with one of its own.
     */
    @DontInline
    static void readsInTurn(Object array, int index, Recorder r, boolean said) {
        One one = find(array);
        if (one != null && Elements.differ(array, one.before, index)) {
            lookInTurn(one, array, r, said);
        }
    }

    /** The same for any of them; whether there was such an event. */
    @DontInline
    static boolean readsInTurn(Object array, Recorder r, boolean said) {
        One one = find(array);
        return one != null && Elements.mismatch(array, one.before) >= 0 && lookInTurn(one, array, r, said);
    }

    private static boolean lookInTurn(One one, Object array, Recorder r, boolean said) {
        if (!said) {
            r.follows(r.thread, r.order.had);
        }
        look(one, array);
        return true;
    }

    /** The inside has written an element. */
    @DontInline
    static void wrote(Object array, int index) {
        One one = find(array);
        if (one != null && index >= 0 && index < one.length) {
            System.arraycopy(array, index, one.before, index, 1);
            one.writes(index, index + 1);
        }
    }

    /** The array, if it is one of these: what the outside writes to it is found when it is read. */
    static One of(Object array) {
        return count == 0 || untold ? null : find(array);
    }

    /** There is an inside method that does not tell what elements it reads and writes. */
    static void isUntold() {
        untold = true;
    }

    /** What is in an array from one index to another was recorded just now. */
    static void knows(Object array, int from, int to) {
        One one = count == 0 ? null : find(array);
        if (one != null) {
            System.arraycopy(array, from, one.before, from, to - from);
        }
    }

    /** The inside has written any of its elements. */
    @DontInline
    static void wrote(Object array) {
        One one = find(array);
        if (one != null) {
            System.arraycopy(array, 0, one.before, 0, one.length);
            one.writes(0, one.length);
        }
    }

    /** Records what the outside has written. */
    private static void look(One one, Object array) {
        Recorder r = Recorders.current();
        int from = Elements.mismatch(array, one.before);
        if (from < 0 || (r.level & 1) == 0) {
            return;
        }
        int type = Elements.type(array);
        int end = Elements.end(array, one.before, type, from);
        System.arraycopy(array, from, one.before, from, end - from);
        // Nobody outside has one that was never mentioned.
        if (Ids.isKnown(array)) {
            r.changed(array, type, from, end);
            addElements(array);
        }
    }
}
