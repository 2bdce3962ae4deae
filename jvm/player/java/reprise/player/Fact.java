package reprise.player;

import java.io.DataOutputStream;
import java.io.IOException;

/** Something that was recorded, or that happened: one side of a divergence. */
final class Fact {
    // As jvm/player/src/divergence.rs reads them.
    static final int CALL = 1;
    static final int ARGUMENT = 2;
    static final int READ = 3;
    static final int WRITE = 4;
    static final int RETURN = 5;
    static final int THROW = 6;
    static final int OTHER = 7;
    static final int END = 8;
    static final int NUMBER = 9;

    final int kind;
    /** What was called, read or written; nothing for a return. */
    final String member;
    /** Which argument, from 1; 0 is the receiver. */
    final int index;
    final String value;

    Fact(int kind, String member, int index, String value) {
        this.kind = kind;
        this.member = member;
        this.index = index;
        this.value = value;
    }

    static Fact of(int kind, String member) {
        return new Fact(kind, member, 0, "");
    }

    void write(DataOutputStream out) throws IOException {
        out.writeByte(kind);
        Report.text(out, member);
        out.writeInt(index);
        Report.text(out, value);
    }
}
