package reprise.jpf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The steps of a path, as a trace that {@code reprise schedule from-trace} reads. Knows nothing
 * of Java PathFinder.
 *
 * A path is a list of stretches, each of one thread. Where a stretch ends before a bytecode
 * that may touch what threads share, the path has that bytecode twice: as the last step, which
 * was not carried out, and as the first one of the next stretch of that thread.
 */
public final class Trace {
    private static final Set<String> BLOCKING = Set.of("wait", "join", "sleep", "park");

    private static final class Step {
        final int stretch;
        final int thread;
        final String type;
        final String method;
        final int offset;
        /** Where it blocks, if that is known: a word of the trace. */
        String state = "";
        boolean carriedOut = true;

        Step(int stretch, int thread, String type, String method, int offset) {
            this.stretch = stretch;
            this.thread = thread;
            this.type = type;
            this.method = method;
            this.offset = offset;
        }

        boolean isAt(Step other) {
            return type.equals(other.type) && method.equals(other.method) && offset == other.offset;
        }

        String place() {
            return type + " " + method + " " + offset;
        }
    }

    private final List<Step> steps = new ArrayList<>();
    private final Set<Integer> threads = new TreeSet<>();
    private final Set<Integer> dead = new TreeSet<>();
    private int stretch;
    /** The last method of the JDK that this stretch was in; null if it is in the program. */
    private String inside;

    /** Another stretch begins. */
    public void stretch() {
        endStretch();
        stretch++;
        inside = null;
    }

    /** A step: the class with dots, the method with its descriptor, the offset of the bytecode. */
    public void step(int thread, String type, String method, int offset) {
        threads.add(thread);
        if (isPlatform(type)) {
            // Code of the JDK is one step of the program: the call.
            String name = method.substring(0, Math.max(0, method.indexOf('(')));
            if (inside == null || BLOCKING.contains(name)) {
                inside = name;
            }
            return;
        }
        inside = null;
        steps.add(new Step(stretch, thread, type, method, offset));
    }

    /** The thread has come to its end in this path. */
    public void dead(int thread) {
        dead.add(thread);
    }

    private static boolean isPlatform(String type) {
        return type.startsWith("java.") || type.startsWith("javax.") || type.startsWith("jdk.")
                || type.startsWith("sun.") || type.startsWith("gov.nasa.jpf.");
    }

    /** Notes how the last step of a stretch stands, if that was inside a call of the JDK. */
    private void endStretch() {
        Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
        if (inside == null || last == null || last.stretch != stretch) {
            return;
        }
        switch (inside) {
            case "wait":
                last.state = "waiting";
                break;
            case "join":
                last.state = "joining";
                break;
            case "sleep":
                last.state = "sleeping";
                break;
            case "park":
                last.state = "parked";
                break;
            default:
        }
    }

    /** The text. */
    public String text() {
        endStretch();
        inside = null;
        int[] following = new int[steps.size()];
        Map<Integer, Integer> next = new HashMap<>();
        for (int at = steps.size() - 1; at >= 0; at--) {
            Step step = steps.get(at);
            Integer behind = next.put(step.thread, at);
            following[at] = behind == null ? -1 : behind;
            Step after = behind == null ? null : steps.get(behind);
            // The last step of a stretch that comes again was not carried out.
            step.carriedOut = after == null || after.stretch == step.stretch || !after.isAt(step)
                    || !step.state.isEmpty();
        }
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < steps.size(); at++) {
            Step step = steps.get(at);
            if (step.carriedOut) {
                write(step, following[at] < 0 ? null : steps.get(following[at]), text);
            }
        }
        return text.toString();
    }

    private void write(Step step, Step following, StringBuilder text) {
        text.append(number(step.thread)).append(' ').append(step.place());
        if (following != null) {
            text.append(" next ").append(following.place());
        }
        if (!step.state.isEmpty()) {
            text.append(' ').append(step.state);
        } else if (following == null && dead.contains(step.thread)) {
            text.append(" dead");
        }
        text.append('\n');
    }

    /** Threads are numbered by creation, which is how their ids in a path grow. */
    private int number(int thread) {
        int number = 0;
        for (int other : threads) {
            if (other == thread) {
                return number;
            }
            number++;
        }
        return number;
    }
}
