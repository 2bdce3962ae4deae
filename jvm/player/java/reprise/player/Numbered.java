package reprise.player;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** An object that has a number. It is kept alive for as long as the recording mentions it again. */
final class Numbered extends WeakReference<Object> {
    final int hash;
    final long key;
    /** Others in the same place of a table. */
    Numbered next;
    /** The object, while there are mentions to come. */
    Object held;
    /** How many. */
    int more;

    private Numbered(Object o, int hash, long key, ReferenceQueue<Object> gone) {
        super(o, gone);
        this.hash = hash;
        this.key = key;
    }

    /**
     * Numbers by objects, by identity. What the inside holds keeps its number, whatever is to come
     * of it: it may go out again without an event. What nothing holds any more is forgotten.
     */
    static final class Table {
        private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
        private Numbered[] places = new Numbered[1 << 10];
        private int size;

        /** What is known of an object; null when it has no number. */
        Numbered get(Object o) {
            int hash = hash(o);
            Numbered found = places[hash & places.length - 1];
            while (found != null && (found.hash != hash || found.get() != o)) {
                found = found.next;
            }
            return found;
        }

        /** An object gets a number, which takes the place of any other. */
        Numbered put(Object o, long key) {
            forget();
            Numbered before = get(o);
            if (before != null) {
                remove(before);
            }
            if (size >= places.length) {
                grow();
            }
            int hash = hash(o);
            Numbered added = new Numbered(o, hash, key, gone);
            link(added);
            size++;
            return added;
        }

        private void forget() {
            for (Object one = gone.poll(); one != null; one = gone.poll()) {
                remove((Numbered) one);
            }
        }

        private void remove(Numbered one) {
            int place = one.hash & places.length - 1;
            Numbered before = null;
            for (Numbered at = places[place]; at != null; at = at.next) {
                if (at == one) {
                    if (before == null) {
                        places[place] = at.next;
                    } else {
                        before.next = at.next;
                    }
                    size--;
                    return;
                }
                before = at;
            }
        }

        private void grow() {
            Numbered[] old = places;
            places = new Numbered[old.length * 2];
            for (Numbered first : old) {
                for (Numbered at = first; at != null;) {
                    Numbered next = at.next;
                    link(at);
                    at = next;
                }
            }
        }

        private void link(Numbered one) {
            int place = one.hash & places.length - 1;
            one.next = places[place];
            places[place] = one;
        }

        private static int hash(Object o) {
            int hash = System.identityHashCode(o);
            return hash ^ hash >>> 15;
        }
    }
}
