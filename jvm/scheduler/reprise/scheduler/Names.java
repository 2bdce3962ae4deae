package reprise.scheduler;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Which of the program's references is which, where a run is recorded. A reference that nobody
 * has any more is forgotten: it comes out of no queue.
 */
final class Names {
    /** The names of references that nobody has any more. */
    private static final ReferenceQueue<Reference<?>> GONE = new ReferenceQueue<>();
    /** By identity hash; those that meet are a chain. */
    private static Name[] table = new Name[64];
    private static int count;

    private Names() {}

    static final class Name extends WeakReference<Reference<?>> {
        final int hash;
        final long name;
        /** Of threads that run freely: who has made it, and when. */
        final long word;
        private Name next;

        Name(Reference<?> reference, int hash, long name, long word, Name next) {
            super(reference, GONE);
            this.hash = hash;
            this.name = name;
            this.word = word;
            this.next = next;
        }
    }

    static void add(Reference<?> reference, long name, long word) {
        int hash = System.identityHashCode(reference);
        synchronized (GONE) {
            for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
                forget((Name) gone);
            }
            if (count == table.length) {
                grow();
            }
            int at = hash & table.length - 1;
            table[at] = new Name(reference, hash, name, word, table[at]);
            count++;
        }
    }

    /** The name of a reference; null if it has none. */
    static Name of(Reference<?> reference) {
        int hash = System.identityHashCode(reference);
        synchronized (GONE) {
            for (Name name = table[hash & table.length - 1]; name != null; name = name.next) {
                if (name.get() == reference) {
                    return name;
                }
            }
        }
        return null;
    }

    private static void forget(Name gone) {
        int at = gone.hash & table.length - 1;
        Name before = null;
        for (Name name = table[at]; name != null; name = name.next) {
            if (name == gone) {
                if (before == null) {
                    table[at] = name.next;
                } else {
                    before.next = name.next;
                }
                count--;
                return;
            }
            before = name;
        }
    }

    private static void grow() {
        Name[] all = table;
        table = new Name[2 * all.length];
        for (Name chain : all) {
            for (Name name = chain; name != null; ) {
                Name next = name.next;
                int at = name.hash & table.length - 1;
                name.next = table[at];
                table[at] = name;
                name = next;
            }
        }
    }
}
