package reprise.runtime;

import jdk.internal.vm.annotation.DontInline;

/**
 * The steps of an event; those that have a value, for values of each type.
 *
 * None of them is compiled into the subject's methods. A method can have dozens of probes: with all
 * that each does, the JVM's compilers take seconds over it or give up, and it is interpreted meanwhile.
 */
final class Steps {
    private Steps() {}

    @DontInline
    static int enter(Recorder r, int method) { return r.inCall(method); }

    @DontInline
    static int enterBare(Recorder r, int method) {
        int token = r.inCall(method);
        r.end();
        return token;
    }

    @DontInline
    static int enter(Object self, Recorder r, int method) {
        int token = r.inCall(method);
        r.value(self);
        return token;
    }

    @DontInline
    static int enterBare(Object self, Recorder r, int method) {
        int token = r.inCall(method);
        r.value(self);
        r.end();
        return token;
    }

    @DontInline
    static int enterBare(Object self, Object v, Recorder r, int method) {
        int token = r.inCall(method);
        r.value(self);
        r.value(v);
        r.end();
        return token;
    }

    @DontInline
    static int enterBare(Object self, int v, Recorder r, int method) {
        int token = r.inCall(method);
        r.value(self);
        add(v, r);
        return token;
    }

    @DontInline
    static void returns(Recorder r, int token) { r.inCallRet(token, Type.VOID); r.end(); }

    @DontInline
    static void returned(Recorder r) { r.outCallRet(Type.VOID); r.end(); }

    @DontInline
    static void argument(boolean v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(byte v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(char v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(short v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(int v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(long v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(float v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(double v, Recorder r) { r.value(v); }
    @DontInline
    static void argument(Object v, Recorder r) { r.value(v); }

    @DontInline
    static void last(boolean v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(byte v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(char v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(short v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(int v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(long v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(float v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(double v, Recorder r) { r.value(v); r.end(); }
    @DontInline
    static void last(Object v, Recorder r) { r.value(v); r.end(); }

    @DontInline
    static void returns(boolean v, Recorder r, int token) { r.inCallRet(token, Type.BOOLEAN); add(v, r); }
    @DontInline
    static void returns(byte v, Recorder r, int token) { r.inCallRet(token, Type.BYTE); add(v, r); }
    @DontInline
    static void returns(char v, Recorder r, int token) { r.inCallRet(token, Type.CHAR); add(v, r); }
    @DontInline
    static void returns(short v, Recorder r, int token) { r.inCallRet(token, Type.SHORT); add(v, r); }
    @DontInline
    static void returns(int v, Recorder r, int token) { r.inCallRet(token, Type.INT); add(v, r); }
    @DontInline
    static void returns(long v, Recorder r, int token) { r.inCallRet(token, Type.LONG); add(v, r); }
    @DontInline
    static void returns(float v, Recorder r, int token) { r.inCallRet(token, Type.FLOAT); add(v, r); }
    @DontInline
    static void returns(double v, Recorder r, int token) { r.inCallRet(token, Type.DOUBLE); add(v, r); }
    @DontInline
    static void returns(Object v, Recorder r, int token) { r.inCallRet(token, Type.REFERENCE); add(v, r); }

    @DontInline
    static void returned(boolean v, Recorder r) { if (!r.outCallRet(Type.BOOLEAN, v ? 1 : 0)) { r.outCallRet(Type.BOOLEAN); add(v, r); } }
    @DontInline
    static void returned(byte v, Recorder r) { r.outCallRet(Type.BYTE); add(v, r); }
    @DontInline
    static void returned(char v, Recorder r) { r.outCallRet(Type.CHAR); add(v, r); }
    @DontInline
    static void returned(short v, Recorder r) { r.outCallRet(Type.SHORT); add(v, r); }
    @DontInline
    static void returned(int v, Recorder r) { if (!r.outCallRet(Type.INT, Recorder.zigzag(v))) { r.outCallRet(Type.INT); add(v, r); } }
    @DontInline
    static void returned(long v, Recorder r) { r.outCallRet(Type.LONG); add(v, r); }
    @DontInline
    static void returned(float v, Recorder r) { r.outCallRet(Type.FLOAT); add(v, r); }
    @DontInline
    static void returned(double v, Recorder r) { r.outCallRet(Type.DOUBLE); add(v, r); }
    @DontInline
    static void returned(Object v, Recorder r) { r.outCallRet(Type.REFERENCE); add(v, r); }

    @DontInline
    static void readStatic(boolean v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(byte v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(char v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(short v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(int v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(long v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(float v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(double v, Recorder r, int site) { r.readsStatic(site); add(v, r); }
    @DontInline
    static void readStatic(Object v, Recorder r, int site) { r.readsStatic(site); add(v, r); }

    @DontInline
    static void writeStatic(boolean v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(byte v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(char v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(short v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(int v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(long v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(float v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(double v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }
    @DontInline
    static void writeStatic(Object v, Recorder r, int site) { r.access(Recorder.OUTWRITE, site); add(v, r); }

    @DontInline
    static void inWrite(Object receiver, boolean v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, byte v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, char v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, short v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, int v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, long v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, float v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, double v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); }
    }
    @DontInline
    static void inWrite(Object receiver, Object v, int site) {
        if (receiver == null || Fixed.leaves(receiver.getClass(), site)) return;
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(receiver); r.value(v); r.end(); Found.held(v); }
    }

    @DontInline
    static void inWriteStatic(boolean v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(byte v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(char v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(short v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(int v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(long v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(float v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(double v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); }
    }
    @DontInline
    static void inWriteStatic(Object v, int site) {
        Recorder r = Recorders.current();
        if (r.inWrite(site)) { r.value(v); r.end(); Found.held(v); }
    }

    /** The last value of an event, if that is kept. */
    private static void add(boolean v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(byte v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(char v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(short v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(int v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(long v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(float v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(double v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
    private static void add(Object v, Recorder r) { if (r.at != 0) r.value(v); r.end(); }
}
