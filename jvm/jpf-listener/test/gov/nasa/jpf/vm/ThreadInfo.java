// A stand-in with the signatures that the listener uses, so that it compiles without JPF.
package gov.nasa.jpf.vm;

public class ThreadInfo {
    private final int id;
    private final boolean terminated;

    public ThreadInfo(int id, boolean terminated) {
        this.id = id;
        this.terminated = terminated;
    }

    public int getId() {
        return id;
    }

    public boolean isTerminated() {
        return terminated;
    }
}
