// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.search;

import gov.nasa.jpf.vm.VM;

public abstract class Search {
    public abstract VM getVM();
}
