package reprise.runtime;

import java.util.Arrays;

/**
 * Arrays have no calls that could be seen: both sides store into them. So what
 * an array holds is recorded when it comes in, and after an outcall that it
 * was given to, as far as the call has changed it.
 */
final class Elements {
    private Elements() {}

    /** The type of an array's elements. */
    static int type(Object a) {
        return a instanceof boolean[] ? Type.BOOLEAN
            : a instanceof byte[] ? Type.BYTE
            : a instanceof char[] ? Type.CHAR
            : a instanceof short[] ? Type.SHORT
            : a instanceof int[] ? Type.INT
            : a instanceof long[] ? Type.LONG
            : a instanceof float[] ? Type.FLOAT
            : a instanceof double[] ? Type.DOUBLE
            : Type.REFERENCE;
    }

    /** Writes elements from an index on until an event is full; returns the next index. */
    static int write(Recorder r, Object a, int type, int from, int to) {
        int i = from;
        switch (type) {
            case Type.BOOLEAN: while (i < to && r.hasRoom()) r.value(((boolean[]) a)[i++]); break;
            case Type.BYTE: while (i < to && r.hasRoom()) r.value(((byte[]) a)[i++]); break;
            case Type.CHAR: while (i < to && r.hasRoom()) r.value(((char[]) a)[i++]); break;
            case Type.SHORT: while (i < to && r.hasRoom()) r.value(((short[]) a)[i++]); break;
            case Type.INT: while (i < to && r.hasRoom()) r.value(((int[]) a)[i++]); break;
            case Type.LONG: while (i < to && r.hasRoom()) r.value(((long[]) a)[i++]); break;
            case Type.FLOAT: while (i < to && r.hasRoom()) r.value(((float[]) a)[i++]); break;
            case Type.DOUBLE: while (i < to && r.hasRoom()) r.value(((double[]) a)[i++]); break;
            default: while (i < to && r.hasRoom()) r.value(((Object[]) a)[i++]); break;
        }
        return i;
    }

    static Object copy(Object a) {
        switch (type(a)) {
            case Type.BOOLEAN: return ((boolean[]) a).clone();
            case Type.BYTE: return ((byte[]) a).clone();
            case Type.CHAR: return ((char[]) a).clone();
            case Type.SHORT: return ((short[]) a).clone();
            case Type.INT: return ((int[]) a).clone();
            case Type.LONG: return ((long[]) a).clone();
            case Type.FLOAT: return ((float[]) a).clone();
            case Type.DOUBLE: return ((double[]) a).clone();
            default: return ((Object[]) a).clone();
        }
    }

    /** Whether two arrays of the same length have something else at an index. */
    static boolean differ(Object a, Object b, int i) {
        if (i < 0 || i >= java.lang.reflect.Array.getLength(a)) {
            return false;
        }
        switch (type(a)) {
            case Type.BOOLEAN: return ((boolean[]) a)[i] != ((boolean[]) b)[i];
            case Type.BYTE: return ((byte[]) a)[i] != ((byte[]) b)[i];
            case Type.CHAR: return ((char[]) a)[i] != ((char[]) b)[i];
            case Type.SHORT: return ((short[]) a)[i] != ((short[]) b)[i];
            case Type.INT: return ((int[]) a)[i] != ((int[]) b)[i];
            case Type.LONG: return ((long[]) a)[i] != ((long[]) b)[i];
            case Type.FLOAT: return Float.floatToRawIntBits(((float[]) a)[i]) != Float.floatToRawIntBits(((float[]) b)[i]);
            case Type.DOUBLE: return Double.doubleToRawLongBits(((double[]) a)[i]) != Double.doubleToRawLongBits(((double[]) b)[i]);
            default: return ((Object[]) a)[i] != ((Object[]) b)[i];
        }
    }

    /** The first index at which two arrays of the same length differ; -1 for none. */
    static int mismatch(Object a, Object b) {
        switch (type(a)) {
            case Type.BOOLEAN: return Arrays.mismatch((boolean[]) a, (boolean[]) b);
            case Type.BYTE: return Arrays.mismatch((byte[]) a, (byte[]) b);
            case Type.CHAR: return Arrays.mismatch((char[]) a, (char[]) b);
            case Type.SHORT: return Arrays.mismatch((short[]) a, (short[]) b);
            case Type.INT: return Arrays.mismatch((int[]) a, (int[]) b);
            case Type.LONG: return Arrays.mismatch((long[]) a, (long[]) b);
            case Type.FLOAT: return Arrays.mismatch((float[]) a, (float[]) b);
            case Type.DOUBLE: return Arrays.mismatch((double[]) a, (double[]) b);
            default: return first((Object[]) a, (Object[]) b);
        }
    }

    /** By identity: equals would call the subject. */
    private static int first(Object[] a, Object[] b) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    /** One more than the last index at which they differ, when they do. */
    static int end(Object a, Object b, int type, int from) {
        int i = java.lang.reflect.Array.getLength(a);
        switch (type) {
            case Type.BOOLEAN: { boolean[] x = (boolean[]) a, y = (boolean[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.BYTE: { byte[] x = (byte[]) a, y = (byte[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.CHAR: { char[] x = (char[]) a, y = (char[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.SHORT: { short[] x = (short[]) a, y = (short[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.INT: { int[] x = (int[]) a, y = (int[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.LONG: { long[] x = (long[]) a, y = (long[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
            case Type.FLOAT: { float[] x = (float[]) a, y = (float[]) b; while (i > from && Float.floatToRawIntBits(x[i - 1]) == Float.floatToRawIntBits(y[i - 1])) i--; break; }
            case Type.DOUBLE: { double[] x = (double[]) a, y = (double[]) b; while (i > from && Double.doubleToRawLongBits(x[i - 1]) == Double.doubleToRawLongBits(y[i - 1])) i--; break; }
            default: { Object[] x = (Object[]) a, y = (Object[]) b; while (i > from && x[i - 1] == y[i - 1]) i--; break; }
        }
        return i;
    }
}
