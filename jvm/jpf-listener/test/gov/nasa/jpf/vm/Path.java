// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

public class Path implements Iterable<Transition> {
    private final List<Transition> transitions = new ArrayList<>();

    public void add(Transition transition) {
        transitions.add(transition);
    }

    @Override
    public Iterator<Transition> iterator() {
        return transitions.iterator();
    }
}
