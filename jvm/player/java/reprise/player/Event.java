package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;

/** One event of a recorded thread, as jvm/player/src/script.rs writes it. */
final class Event {
    static final int INCALL = 1;
    static final int INCALLRET = 2;
    static final int OUTCALL = 3;
    static final int OUTCALLRET = 4;
    static final int OUTREAD = 5;
    static final int OUTWRITE = 6;
    static final int INWRITE = 7;
    static final int EXCIN = 8;
    static final int EXCOUT = 9;
    static final int TOUCH = 10;
    static final int TOUCHED = 11;
    static final int ARRAY = 12;
    static final int ADOPT = 13;
    static final int ORDER = 14;
    static final int SAME = 15;

    private static final Value[] NONE = {};
    private static final Event[] NO_ARRAYS = {};
    private static final long[] NO_SILENT = {};

    final int what;
    /** The thread, by the recording's count. */
    final int thread;
    /** Its number in the stream. */
    final long number;
    /** How many calls are open before it. */
    final int depth;
    /** The method or site; for an array the first index, for ORDER the other thread. */
    final int id;
    /** The class of the object that a constructor is called for; 0 for its own. */
    final int type;
    /**
     * How many events are still to come that say what arrays hold and what is in objects: they speak of
     * what other threads did, and those come between.
     */
    final int more;
    /** The receiver, if there is one, and the values. */
    final Value[] values;
    /** What arrays hold from now on, and what is in objects that are adopted. */
    final Event[] arrays;
    /** Numbers that its thread gives silently afterwards, and how often each is mentioned later. */
    final long[] silent;
    /** How much room it takes, by that of an event with few values. */
    final int weight;
    /** Its place among all events; given when it is read. */
    long order;

    Event(DataInputStream in) throws IOException {
        what = in.readUnsignedByte();
        thread = in.readInt();
        number = in.readLong();
        depth = in.readInt();
        id = in.readInt();
        type = in.readInt();
        more = in.readInt();
        int count = in.readInt();
        values = count == 0 ? NONE : new Value[count];
        for (int i = 0; i < count; i++) {
            values[i] = new Value(in);
        }
        int arrayCount = in.readInt();
        arrays = arrayCount == 0 ? NO_ARRAYS : new Event[arrayCount];
        for (int i = 0; i < arrayCount; i++) {
            arrays[i] = new Event(in);
        }
        int silentCount = in.readInt();
        silent = silentCount == 0 ? NO_SILENT : new long[2 * silentCount];
        for (int i = 0; i < silent.length; i += 2) {
            silent[i] = in.readLong();
            silent[i + 1] = in.readInt();
        }
        weight = weigh();
    }

    private int weigh() {
        int sum = 1 + silent.length / 16;
        for (Value value : values) {
            sum += value.packed == null ? 0 : value.packedBytes() / 128;
        }
        for (Event part : arrays) {
            sum += part.weight;
        }
        return sum + values.length / 4;
    }

    /** Whether it comes from outside, so that its order among threads counts. */
    boolean isIncoming() {
        switch (what) {
            case INCALLRET: case OUTCALL: case OUTWRITE: case EXCOUT: case ORDER: case SAME:
                return false;
            default: return true;
        }
    }

    /** Whether it answers what the inside has asked. */
    boolean isAnswer() {
        switch (what) {
            case OUTCALLRET: case EXCIN: case TOUCHED: case OUTREAD: return true;
            default: return false;
        }
    }

    /** Whether it says what is in an object that it mentions for the first time, or what is to come may. */
    boolean adopts(long key) {
        for (Event other : arrays) {
            if (other.what == ADOPT && other.values[0].bits == key) {
                return true;
            }
        }
        return more > 0;
    }

    /** Whether it only says what came along with another. */
    boolean isPart() {
        return what == ARRAY || what == ADOPT;
    }

    static String name(int what) {
        switch (what) {
            case INCALL: return "INCALL";
            case INCALLRET: return "INCALLRET";
            case OUTCALL: return "OUTCALL";
            case OUTCALLRET: return "OUTCALLRET";
            case OUTREAD: return "OUTREAD";
            case OUTWRITE: return "OUTWRITE";
            case INWRITE: return "INWRITE";
            case EXCIN: return "EXCIN";
            case EXCOUT: return "EXCOUT";
            case TOUCH: return "TOUCH";
            case TOUCHED: return "TOUCHED";
            case ADOPT: return "ADOPT";
            case ORDER: return "ORDER";
            case SAME: return "SAME";
            default: return "ARRAY";
        }
    }
}
