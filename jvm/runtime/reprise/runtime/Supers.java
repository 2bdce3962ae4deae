package reprise.runtime;

import java.util.Arrays;

/**
 * The calls of outside super() that a thread has open.
 *
 * When one of them throws into outside code, no inside code runs to notice. It
 * is found out at the next call from outside: only then, and only while such a
 * call is the innermost that is open, the stack is searched for its
 * constructor. Where an inside method has called the constructor, that one
 * notices, and nothing is searched for: it takes a microsecond.
 */
final class Supers {
    private int[] levels = new int[4];
    private String[] types = new String[4];
    private boolean[] unnoticed = new boolean[4];
    private int size;

    /** Whether no inside method would notice that it throws. */
    void push(int level, String type, boolean isUnnoticed) {
        if (size == levels.length) {
            levels = Arrays.copyOf(levels, size * 2);
            types = Arrays.copyOf(types, size * 2);
            unnoticed = Arrays.copyOf(unnoticed, size * 2);
        }
        levels[size] = level;
        unnoticed[size] = isUnnoticed;
        types[size++] = type;
    }

    void pop() {
        if (size > 0) {
            size--;
        }
    }

    /** The level of the innermost; 0 when there is none. */
    int top() {
        return size == 0 ? 0 : levels[size - 1];
    }

    /**
     * Whether the constructor of the innermost is still running. The method
     * that was just entered may be another call of the same constructor.
     */
    boolean isActive() {
        if (!unnoticed[size - 1]) {
            return true;
        }
        String type = types[size - 1];
        int open = 0;
        for (int i = 0; i < size; i++) {
            open += types[i].equals(type) ? 1 : 0;
        }
        int expected = open;
        return StackWalker.getInstance().walk(frames -> frames
            .filter(frame -> !frame.getClassName().startsWith("reprise.runtime."))
            .skip(1)
            .filter(frame -> frame.getMethodName().equals("<init>"))
            .filter(frame -> frame.getClassName().equals(type))
            .limit(expected)
            .count()) >= expected;
    }
}
