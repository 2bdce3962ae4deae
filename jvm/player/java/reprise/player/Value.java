package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A value of an event: a scalar, or a reference to something. */
final class Value {
    // Types, as jvm/events/src/value.rs has them.
    static final int BOOLEAN = 1;
    static final int BYTE = 2;
    static final int CHAR = 3;
    static final int SHORT = 4;
    static final int INT = 5;
    static final int LONG = 6;
    static final int FLOAT = 7;
    static final int DOUBLE = 8;

    // Kinds of reference, behind the types.
    static final int NULL = 9;
    static final int OUTSIDE = 10;
    static final int INSIDE = 11;
    static final int ARRAY = 12;
    static final int CONSTANT = 13;
    static final int BOX = 14;
    /** Not a value, but what an array of scalars holds from some index on. */
    static final int PACKED = 15;

    final int kind;
    /** The bits of a scalar, the number of a constant or the key of an object. */
    final long bits;
    /** For a box, the type of its scalar. */
    final int boxed;
    /** For what is packed, an array of its scalars. */
    final Object packed;
    /** For an object that is mentioned for the first time, its class. */
    final int type;
    /** For such an array, its length. */
    final int length;
    /** For such an object, how many more mentions there are. */
    final int more;

    Value(DataInputStream in) throws IOException {
        kind = in.readUnsignedByte();
        boxed = kind == BOX || kind == PACKED ? in.readUnsignedByte() : 0;
        bits = kind == NULL ? 0 : kind == PACKED ? in.readInt() : in.readLong();
        packed = kind == PACKED ? unpack(boxed, (int) bits, in) : null;
        boolean object = kind >= OUTSIDE && kind <= ARRAY;
        type = object ? in.readInt() : 0;
        length = object && kind == ARRAY ? in.readInt() : 0;
        more = type != 0 ? in.readInt() : 0;
    }

    private static Object unpack(int type, int count, DataInputStream in) throws IOException {
        byte[] bytes = new byte[count * size(type)];
        in.readFully(bytes);
        ByteBuffer from = ByteBuffer.wrap(bytes);
        switch (type) {
            case BOOLEAN: {
                boolean[] to = new boolean[count];
                for (int i = 0; i < count; i++) {
                    to[i] = bytes[i] != 0;
                }
                return to;
            }
            case BYTE: return bytes;
            case CHAR: { char[] to = new char[count]; from.asCharBuffer().get(to); return to; }
            case SHORT: { short[] to = new short[count]; from.asShortBuffer().get(to); return to; }
            case INT: { int[] to = new int[count]; from.asIntBuffer().get(to); return to; }
            case LONG: { long[] to = new long[count]; from.asLongBuffer().get(to); return to; }
            case FLOAT: { float[] to = new float[count]; from.asFloatBuffer().get(to); return to; }
            default: { double[] to = new double[count]; from.asDoubleBuffer().get(to); return to; }
        }
    }

    private static int size(int type) {
        switch (type) {
            case BOOLEAN: case BYTE: return 1;
            case CHAR: case SHORT: return 2;
            case INT: case FLOAT: return 4;
            default: return 8;
        }
    }

    /** How many bytes are packed. */
    int packedBytes() {
        return (int) bits * size(boxed);
    }

    boolean isScalar() {
        return kind <= DOUBLE;
    }

    boolean isObject() {
        return kind >= OUTSIDE && kind <= ARRAY;
    }

    boolean isFirst() {
        return type != 0;
    }

    /** How many more mentions there are of an object that gets this number, as far as that is known. */
    int more(long key) {
        return isFirst() && bits == key ? more : Objects.ALWAYS;
    }

    /** A scalar in its box. */
    static Object box(int type, long bits) {
        switch (type) {
            case BOOLEAN: return bits != 0;
            case BYTE: return (byte) bits;
            case CHAR: return (char) bits;
            case SHORT: return (short) bits;
            case INT: return (int) bits;
            case LONG: return bits;
            case FLOAT: return Float.intBitsToFloat((int) bits);
            default: return Double.longBitsToDouble(bits);
        }
    }

    /** The type of the scalar in a box; 0 for anything else. */
    static int boxed(Object o) {
        return o instanceof Integer ? INT
            : o instanceof Long ? LONG
            : o instanceof Boolean ? BOOLEAN
            : o instanceof Character ? CHAR
            : o instanceof Double ? DOUBLE
            : o instanceof Float ? FLOAT
            : o instanceof Byte ? BYTE
            : o instanceof Short ? SHORT
            : 0;
    }

    /** The bits of the scalar in a box. */
    static long bits(Object box) {
        switch (boxed(box)) {
            case BOOLEAN: return (Boolean) box ? 1 : 0;
            case CHAR: return (Character) box;
            case FLOAT: return Float.floatToRawIntBits((Float) box) & 0xffff_ffffL;
            case DOUBLE: return Double.doubleToRawLongBits((Double) box);
            default: return ((Number) box).longValue();
        }
    }

    /** A scalar as a person writes it. */
    static String text(int type, long bits) {
        Object box = box(type, bits);
        switch (type) {
            case CHAR: return "'" + box + "'";
            case LONG: return box + "L";
            case FLOAT: return box + "f";
            default: return box.toString();
        }
    }
}
