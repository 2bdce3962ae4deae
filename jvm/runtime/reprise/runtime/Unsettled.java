package reprise.runtime;

import java.lang.ref.WeakReference;
import java.util.ArrayList;

/**
 * Inside objects that were adopted while they were being deserialised: the JDK
 * still writes to their fields, with no event.
 *
 * What is in one is said again when a call that it was adopted in goes on, and
 * for all of them once the deserialisation is over.
 */
final class Unsettled {
    private static final class One extends WeakReference<Object> {
        final int level;

        One(Object object, int level) {
            super(object);
            this.level = level;
        }
    }

    /** Those adopted in calls that are open. */
    private final ArrayList<One> open = new ArrayList<>();
    private final ArrayList<One> closed = new ArrayList<>();

    void add(Object object, int level) {
        open.add(new One(object, level));
    }

    /** The outside calls, and the inside will be at this level. */
    void called(int level, Crossing crossing) {
        while (!open.isEmpty() && open.get(open.size() - 1).level >= level) {
            closed.add(open.remove(open.size() - 1));
        }
        if (!isInProgress()) {
            settle(crossing);
        }
    }

    /** The inside goes on at this level. */
    void returned(int level, Crossing crossing) {
        if (!isInProgress()) {
            settle(crossing);
            return;
        }
        for (int i = open.size() - 1; i >= 0 && open.get(i).level >= level; i--) {
            if (open.get(i).level == level) {
                adopt(open.get(i), crossing);
                open.remove(i);
            }
        }
        if (open.isEmpty() && closed.isEmpty()) {
            crossing.unsettled = null;
        }
    }

    private void settle(Crossing crossing) {
        for (One one : open) {
            adopt(one, crossing);
        }
        for (One one : closed) {
            adopt(one, crossing);
        }
        crossing.unsettled = null;
    }

    private static void adopt(One one, Crossing crossing) {
        Object object = one.get();
        if (object != null) {
            crossing.adopts(object);
        }
    }

    /** Whether this thread is deserialising. */
    static boolean isInProgress() {
        return StackWalker.getInstance().walk(frames -> frames
            .anyMatch(frame -> frame.getClassName().equals("java.io.ObjectInputStream")));
    }
}
