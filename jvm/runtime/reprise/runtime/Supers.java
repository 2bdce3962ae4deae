package reprise.runtime;

import java.util.Arrays;

/**
 * The calls of outside super() that a thread has open.
 *
 * When one of them throws into outside code, no inside code runs to notice. It
 * is found out at the next call from outside: only then, and only while such a
 * call is the innermost that is open, the stack is searched for its
 * constructor.
 */
final class Supers {
    private int[] levels = new int[4];
    private String[] types = new String[4];
    private int size;

    void push(int level, String type) {
        if (size == levels.length) {
            levels = Arrays.copyOf(levels, size * 2);
            types = Arrays.copyOf(types, size * 2);
        }
        levels[size] = level;
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
