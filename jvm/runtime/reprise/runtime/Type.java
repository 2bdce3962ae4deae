package reprise.runtime;

/** The codes of types in events, as jvm/events/src/value.rs has them. */
final class Type {
    static final int VOID = 0;
    static final int BOOLEAN = 1;
    static final int BYTE = 2;
    static final int CHAR = 3;
    static final int SHORT = 4;
    static final int INT = 5;
    static final int LONG = 6;
    static final int FLOAT = 7;
    static final int DOUBLE = 8;
    static final int REFERENCE = 9;

    private Type() {}
}
