package reprise.runtime;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * The numbers of objects that have no field for one, by identity and weakly.
 *
 * Looking up takes no lock. A reader that meets a table being rebuilt may miss
 * an entry; it then looks again under the lock, where entries are added.
 */
final class Ids {
    static final class Entry extends WeakReference<Object> {
        final int hash;
        final long id;
        volatile Entry next;

        Entry(Object object, int hash, long id, Entry next) {
            super(object, GONE);
            this.hash = hash;
            this.id = id;
            this.next = next;
        }
    }

    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    private static final Object LOCK = new Object();
    private static volatile Entry[] table = new Entry[1 << 12];
    private static int size;

    private Ids() {}

    /** An object with its number; if it has none, it gets the one that is offered. */
    static Entry get(Object object, long offered) {
        int hash = spread(System.identityHashCode(object));
        Entry[] entries = table;
        for (Entry e = entries[hash & entries.length - 1]; e != null; e = e.next) {
            if (e.hash == hash && e.get() == object) {
                return e;
            }
        }
        return add(object, hash, offered);
    }

    /** Whether an object has a number. */
    static boolean isKnown(Object object) {
        int hash = spread(System.identityHashCode(object));
        Entry[] entries = table;
        for (Entry e = entries[hash & entries.length - 1]; e != null; e = e.next) {
            if (e.hash == hash && e.get() == object) {
                return true;
            }
        }
        return false;
    }

    private static Entry add(Object object, int hash, long offered) {
        synchronized (LOCK) {
            forget();
            Entry[] entries = table;
            int slot = hash & entries.length - 1;
            for (Entry e = entries[slot]; e != null; e = e.next) {
                if (e.hash == hash && e.get() == object) {
                    return e;
                }
            }
            Entry added = new Entry(object, hash, offered, entries[slot]);
            entries[slot] = added;
            if (++size > entries.length) {
                grow(entries);
            }
            return added;
        }
    }

    /** Removes what the collector has cleared. */
    private static void forget() {
        for (Entry gone = (Entry) GONE.poll(); gone != null; gone = (Entry) GONE.poll()) {
            Entry[] entries = table;
            int slot = gone.hash & entries.length - 1;
            Entry before = null;
            for (Entry e = entries[slot]; e != null; before = e, e = e.next) {
                if (e == gone) {
                    if (before == null) {
                        entries[slot] = e.next;
                    } else {
                        before.next = e.next;
                    }
                    size--;
                    break;
                }
            }
        }
    }

    private static void grow(Entry[] old) {
        Entry[] grown = new Entry[old.length * 2];
        for (Entry first : old) {
            for (Entry e = first; e != null; ) {
                Entry next = e.next;
                int slot = e.hash & grown.length - 1;
                e.next = grown[slot];
                grown[slot] = e;
                e = next;
            }
        }
        table = grown;
    }

    private static int spread(int hash) {
        return hash ^ hash >>> 15;
    }
}
