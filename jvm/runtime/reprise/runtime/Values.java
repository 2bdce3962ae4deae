package reprise.runtime;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jdk.internal.vm.annotation.DontInline;

/**
 * Immutable JDK values, recorded once in the tables and then by number.
 *
 * The keys are copies, so that no object of the subject is kept alive. What is
 * remembered is bounded: it is forgotten as a whole when it gets too much, and
 * values met again are then recorded again.
 */
final class Values {
    private static final int LONGEST_REMEMBERED = 1024;
    private static final int MOST_REMEMBERED = 100_000;

    /** A copy of a string, with its number; without a copy it is of no string that is asked for. */
    static final class Text {
        private final String copy;
        final int number;

        private Text(String copy, int number) {
            this.copy = copy;
            this.number = number;
        }

        boolean isOf(String s) {
            return s.equals(copy);
        }
    }

    private static final ConcurrentHashMap<String, Text> STRINGS = new ConcurrentHashMap<>();
    /** Other values, by the number of their class and their text. */
    private static final ConcurrentHashMap<String, Integer> OTHERS = new ConcurrentHashMap<>();

    /** Final or exactly compared classes whose text says all there is to say. */
    private static final Set<String> TEXT = new HashSet<>(Arrays.asList(
        "java.math.BigDecimal", "java.math.BigInteger", "java.util.UUID",
        "java.time.Duration", "java.time.Instant", "java.time.LocalDate",
        "java.time.LocalDateTime", "java.time.LocalTime", "java.time.MonthDay",
        "java.time.OffsetDateTime", "java.time.OffsetTime", "java.time.Period",
        "java.time.Year", "java.time.YearMonth", "java.time.ZoneOffset",
        "java.time.ZonedDateTime"));

    private Values() {}

    /** The type of the scalar in a box; VOID for other classes. */
    static int boxed(Class<?> c) {
        return c == Integer.class ? Type.INT
            : c == Long.class ? Type.LONG
            : c == Boolean.class ? Type.BOOLEAN
            : c == Character.class ? Type.CHAR
            : c == Double.class ? Type.DOUBLE
            : c == Float.class ? Type.FLOAT
            : c == Byte.class ? Type.BYTE
            : c == Short.class ? Type.SHORT
            : Type.VOID;
    }

    static boolean isText(Class<?> c) {
        return c.getClassLoader() == null && TEXT.contains(c.getName());
    }

    /** A string with its number. */
    @DontInline
    static Text string(String s) {
        Text known = STRINGS.get(s);
        return known != null ? known : newString(s);
    }

    private static Text newString(String s) {
        boolean isRemembered = s.length() <= LONGEST_REMEMBERED;
        Text text = new Text(isRemembered ? new String(s) : null, Native.value(stringConstant(s)));
        if (isRemembered) {
            remember(STRINGS, text.copy, text);
        }
        return text;
    }

    /** The number of any other value. */
    static int number(Object o, ClassInfo info) {
        switch (info.kind) {
            case ClassInfo.STRING: return string((String) o).number;
            case ClassInfo.CLASS: return classNumber(o, info);
            case ClassInfo.ENUM: return enumNumber((Enum<?>) o, info);
            default: return written(o, info);
        }
    }

    /** Classes and enum constants are few, so these are never forgotten. */
    private static int classNumber(Object o, ClassInfo info) {
        ClassInfo named = ClassInfo.of((Class<?>) o);
        if (named.asValue == 0) {
            named.asValue = written(o, info) + 1;
        }
        return named.asValue - 1;
    }

    private static int enumNumber(Enum<?> o, ClassInfo info) {
        // Threads may write over each other's arrays: what is lost is written again.
        int[] known = info.constants;
        int ordinal = o.ordinal();
        if (ordinal >= known.length) {
            known = Arrays.copyOf(known, ordinal + 1);
            info.constants = known;
        }
        if (known[ordinal] == 0) {
            known[ordinal] = written(o, info) + 1;
        }
        return known[ordinal] - 1;
    }

    private static int written(Object o, ClassInfo info) {
        int kind;
        int type = info.number;
        String text;
        switch (info.kind) {
            case ClassInfo.CLASS:
                kind = 3;
                type = ClassInfo.of((Class<?>) o).number;
                text = "";
                break;
            case ClassInfo.ENUM:
                kind = 4;
                type = ClassInfo.of(((Enum<?>) o).getDeclaringClass()).number;
                text = ((Enum<?>) o).name();
                break;
            default:
                kind = 5;
                text = o.toString();
                break;
        }
        String key = (char) kind + "" + type + ":" + text;
        Integer known = OTHERS.get(key);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Bytes out = new Bytes(bytes.length + 16);
        out.put(kind);
        out.varint(type);
        if (kind != 3) {
            out.blob(bytes);
        }
        int number = Native.value(out.done());
        remember(OTHERS, key, number);
        return number;
    }

    private static <T> void remember(ConcurrentHashMap<String, T> map, String key, T value) {
        if (map.size() >= MOST_REMEMBERED) {
            map.clear();
        }
        map.put(key, value);
    }

    private static byte[] stringConstant(String s) {
        int length = s.length();
        int wide = 0;
        for (int i = 0; i < length; i++) {
            wide |= s.charAt(i);
        }
        boolean narrow = wide < 256;
        byte[] bytes = s.getBytes(narrow ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_16LE);
        if (!narrow) {
            // The encoder replaces lone surrogates; chars are chars.
            for (int i = 0; i < length; i++) {
                char c = s.charAt(i);
                bytes = 2 * length == bytes.length ? bytes : new byte[2 * length];
                bytes[2 * i] = (byte) c;
                bytes[2 * i + 1] = (byte) (c >> 8);
            }
        }
        Bytes out = new Bytes(bytes.length + 16);
        out.put(narrow ? 1 : 2);
        out.blob(bytes);
        return out.done();
    }

    /** Bytes of a table entry. */
    private static final class Bytes {
        private final byte[] bytes;
        private int length;

        Bytes(int room) {
            bytes = new byte[room];
        }

        void put(int value) {
            bytes[length++] = (byte) value;
        }

        void varint(int number) {
            while ((number & ~0x7f) != 0) {
                put(number | 0x80);
                number >>>= 7;
            }
            put(number);
        }

        void blob(byte[] blob) {
            varint(blob.length);
            System.arraycopy(blob, 0, bytes, length, blob.length);
            length += blob.length;
        }

        byte[] done() {
            return Arrays.copyOf(bytes, length);
        }
    }
}
