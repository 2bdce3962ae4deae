package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Values that travel by value. */
final class Constants {
    private static final int STRING = 1;
    private static final int CLASS = 3;
    private static final int ENUM = 4;

    private final Replay replay;
    private final Map<Integer, Constant> known = new HashMap<>();
    /** The constants of enums whose classes are here, by class and name. */
    private final Map<Class<?>, Map<String, Object>> enums = new HashMap<>();

    /** What the recording says of one, and the object once it was made. */
    private static final class Constant {
        int kind;
        int type;
        String text;
        Object made;
    }

    Constants(Replay replay) {
        this.replay = replay;
    }

    void read(DataInputStream in) throws IOException {
        Constant constant = new Constant();
        int id = in.readInt();
        constant.kind = in.readUnsignedByte();
        constant.type = in.readInt();
        int length = in.readInt();
        StringBuilder text = new StringBuilder(Math.min(length, 1 << 16));
        for (int i = 0; i < length; i++) {
            text.append(in.readChar());
        }
        constant.text = text.toString();
        synchronized (this) {
            known.put(id, constant);
        }
    }

    synchronized Object get(int id) {
        Constant constant = known.get(id);
        if (constant == null) {
            throw new Unplayable("there is no value " + id);
        }
        if (constant.made == null) {
            constant.made = make(constant);
        }
        return constant.made;
    }

    /** The class that comes in is that of an object here. */
    synchronized void isClassOf(int id, Object o) {
        Constant constant = known.get(id);
        if (constant != null && constant.kind == CLASS && constant.made == null) {
            replay.types.get(constant.type).isHere(o.getClass());
        }
    }

    private Object make(Constant constant) {
        switch (constant.kind) {
            case STRING:
                return constant.text;
            case CLASS:
                return replay.types.get(constant.type).find(replay);
            case ENUM:
                return enumConstant(replay.types.get(constant.type), constant.text);
            default:
                return parse(replay.types.get(constant.type).name, constant.text);
        }
    }

    /** An inside enum makes its constants itself. */
    synchronized void enumConstant(Object constant, String name) {
        Class<?> type = ((Enum<?>) constant).getDeclaringClass();
        enums.computeIfAbsent(type, t -> new HashMap<>()).put(name, constant);
    }

    private Object enumConstant(Type type, String name) {
        Class<?> c = type.find(replay);
        if (type.bytes == null || type.inside) {
            Memory.initialise(c);
            Map<String, Object> made = enums.get(c);
            if (made != null && made.containsKey(name)) {
                return made.get(name);
            }
            for (Object constant : c.isEnum() && !type.inside ? c.getEnumConstants() : new Object[0]) {
                if (((Enum<?>) constant).name().equals(name)) {
                    return constant;
                }
            }
            throw new Unplayable(type.title() + " has no constant " + name);
        }
        Map<String, Object> made = enums.computeIfAbsent(c, t -> new HashMap<>());
        return made.computeIfAbsent(name, n -> {
            Object constant = Memory.allocate(c);
            Memory.setEnum(constant, n, type.constants.indexOf(n));
            return constant;
        });
    }

    private static Object parse(String type, String text) {
        try {
            switch (type) {
                case "java/math/BigDecimal": return new BigDecimal(text);
                case "java/math/BigInteger": return new BigInteger(text);
                case "java/util/UUID": return UUID.fromString(text);
                case "java/time/Duration": return Duration.parse(text);
                case "java/time/Instant": return Instant.parse(text);
                case "java/time/LocalDate": return LocalDate.parse(text);
                case "java/time/LocalDateTime": return LocalDateTime.parse(text);
                case "java/time/LocalTime": return LocalTime.parse(text);
                case "java/time/MonthDay": return MonthDay.parse(text);
                case "java/time/OffsetDateTime": return OffsetDateTime.parse(text);
                case "java/time/OffsetTime": return OffsetTime.parse(text);
                case "java/time/Period": return Period.parse(text);
                case "java/time/Year": return Year.of(Integer.parseInt(text));
                case "java/time/YearMonth": return YearMonth.parse(text);
                case "java/time/ZoneOffset": return ZoneOffset.of(text);
                case "java/time/ZonedDateTime": return ZonedDateTime.parse(text);
                default: break;
            }
        } catch (RuntimeException wrong) {
            throw new Unplayable(Types.title(type) + " cannot be made from \"" + text + "\"");
        }
        throw new Unplayable("values of " + Types.title(type) + " are not known");
    }

    /** Whether an object travels by value; boxes are looked at elsewhere. */
    static boolean isConstant(Object o) {
        return o instanceof String || o instanceof Class || isText(o)
            || o instanceof Enum && ((Enum<?>) o).name() != null;
    }

    /** Whether most calls on such an object run for real. */
    static boolean isValue(Object o) {
        return o instanceof String || Value.boxed(o) != 0 || isText(o);
    }

    private static boolean isText(Object o) {
        return o instanceof BigDecimal && o.getClass() == BigDecimal.class
            || o instanceof BigInteger && o.getClass() == BigInteger.class
            || o instanceof UUID
            || o instanceof Duration || o instanceof Instant || o instanceof LocalDate
            || o instanceof LocalDateTime || o instanceof LocalTime || o instanceof MonthDay
            || o instanceof OffsetDateTime || o instanceof OffsetTime || o instanceof Period
            || o instanceof Year || o instanceof YearMonth || o instanceof ZoneOffset
            || o instanceof ZonedDateTime;
    }

    /** Whether two values that travel by value are the same. */
    static boolean same(Object a, Object b) {
        if (a == b) {
            return true;
        }
        return a.getClass() == b.getClass() && !(a instanceof Class) && !(a instanceof Enum)
            && (a instanceof String ? a.equals(b) : a.toString().equals(b.toString()));
    }
}
