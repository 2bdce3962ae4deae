// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

public class Transition implements Iterable<Step> {
    private final ThreadInfo thread;
    private final List<Step> steps = new ArrayList<>();

    public Transition(ThreadInfo thread) {
        this.thread = thread;
    }

    void addStep(Step step) {
        steps.add(step);
    }

    /** Not one of the real class. */
    public void put(Step step) {
        addStep(step);
    }

    public ThreadInfo getThreadInfo() {
        return thread;
    }

    public int getThreadIndex() {
        return thread.getId();
    }

    @Override
    public Iterator<Step> iterator() {
        return steps.iterator();
    }
}
