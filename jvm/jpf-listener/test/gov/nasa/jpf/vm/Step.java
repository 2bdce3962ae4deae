// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

public class Step {
    private final Instruction instruction;

    public Step(Instruction instruction) {
        this.instruction = instruction;
    }

    public Instruction getInstruction() {
        return instruction;
    }
}
