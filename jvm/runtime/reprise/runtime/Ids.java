package reprise.runtime;

import java.lang.ref.WeakReference;

import jdk.internal.vm.annotation.DontInline;

/**
 * The numbers of objects that have no field for one, by identity and weakly.
 *
 * Looking up takes no lock. A reader that meets a table being rebuilt may miss
 * an entry; it then looks again under the lock, where entries are added.
 *
 * What the collector has cleared stays until the table is full. To be told of
 * each by a queue costs more than all the rest.
 */
final class Ids {
    static final class Entry extends WeakReference<Object> {
        final int hash;
        final long id;
        volatile Entry next;

        Entry(Object object, int hash, long id, Entry next) {
            super(object);
            this.hash = hash;
            this.id = id;
            this.next = next;
        }
    }

    private static final int LEAST = 1 << 13;
    private static final Object LOCK = new Object();
    private static volatile Entry[] table = new Entry[LEAST];
    private static int size;

    private Ids() {}

    /** An object with its number; if it has none, it gets the one that is offered. */
    static Entry get(Object object, int hash, long offered) {
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
        return number(object) != 0;
    }

    /** The number of an object; 0 if it has none. */
    static long number(Object object) {
        int hash = hash(object);
        Entry[] entries = table;
        for (Entry e = entries[hash & entries.length - 1]; e != null; e = e.next) {
            if (e.hash == hash && e.get() == object) {
                return e.id;
            }
        }
        return 0;
    }

    @DontInline
    private static Entry add(Object object, int hash, long offered) {
        synchronized (LOCK) {
            Entry[] entries = table;
            int slot = hash & entries.length - 1;
            for (Entry e = entries[slot]; e != null; e = e.next) {
                if (e.hash == hash && e.get() == object) {
                    return e;
                }
            }
            Entry added = new Entry(object, hash, offered, entries[slot]);
            entries[slot] = added;
            if (++size > entries.length / 2) {
                rebuild(entries);
            }
            return added;
        }
    }

    /** A table of those that are left, with room for as many again. */
    private static void rebuild(Entry[] old) {
        int left = 0;
        for (Entry first : old) {
            for (Entry e = first; e != null; e = e.next) {
                left += e.get() != null ? 1 : 0;
            }
        }
        int length = LEAST;
        while (length < left * 4) {
            length *= 2;
        }
        Entry[] rebuilt = new Entry[length];
        size = 0;
        for (Entry first : old) {
            for (Entry e = first; e != null; ) {
                Entry next = e.next;
                if (e.get() != null) {
                    int slot = e.hash & length - 1;
                    e.next = rebuilt[slot];
                    rebuilt[slot] = e;
                    size++;
                }
                e = next;
            }
        }
        table = rebuilt;
    }

    static int hash(Object object) {
        int hash = System.identityHashCode(object);
        return hash ^ hash >>> 15;
    }
}
