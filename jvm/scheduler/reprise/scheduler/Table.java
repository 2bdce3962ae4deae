package reprise.scheduler;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/**
 * The queue of a {@code WeakHashMap} that the program has made: by it the table sees which of its
 * keys the garbage collector has taken away, whenever it is used.
 */
final class Table extends ReferenceQueue<Object> {
    @Override
    public Reference<?> poll() {
        return References.polled(super.poll());
    }
}
