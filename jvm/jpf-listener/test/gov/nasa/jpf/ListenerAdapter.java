// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf;

import gov.nasa.jpf.search.Search;

public abstract class ListenerAdapter {
    public void propertyViolated(Search search) {}
}
