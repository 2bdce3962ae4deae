// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

public class MethodInfo {
    private final String type;
    private final String name;

    public MethodInfo(String type, String name) {
        this.type = type;
        this.name = name;
    }

    public String getClassName() {
        return type;
    }

    /** The name with the descriptor. */
    public String getUniqueName() {
        return name;
    }
}
