// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

public abstract class Instruction {
    public abstract MethodInfo getMethodInfo();

    public abstract int getPosition();
}
