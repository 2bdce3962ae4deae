import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.DayOfWeek;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Immutable JDK values travel by value, whatever they are. */
public class Main {
    public static void main(String[] args) {
        Box box = new Box();
        Object[] values = {
            "plain", "umlaut \u00e4", "wide \u20ac", "lone \ud800", "", 1, 2L, (short) 3, (byte) 4, 'c',
            true, 1.5f, 2.5, Double.NaN, Main.class, int[].class, TimeUnit.DAYS, DayOfWeek.MONDAY,
            new BigInteger("123456789012345678901234567890"), new BigDecimal("1.50"),
            LocalDate.of(2024, 2, 29), new UUID(1, 2), null, new int[] {1, 2}, new Object[3],
            Color.RED, Inner.ON,
        };
        int count = 0;
        for (Object value : values) {
            count += box.keep(value) == value ? 1 : 0;
        }
        System.out.println(count + " of " + values.length);
        System.out.println(box.scalars(true, (byte) -1, '\u20ac', (short) -2, -3, Long.MIN_VALUE,
            -0.0f, Double.MIN_VALUE));
        System.out.println(box.text("again").equals("again, again"));
        // At the same place, and too long to be remembered.
        String large = new String(new char[1025]).replace('\0', '-');
        for (String text : new String[] {large, "", large, ""}) {
            System.out.println(box.length(text));
        }
    }
}

enum Color { RED }

enum Inner { ON }

class Box {
    Object keep(Object value) {
        return value;
    }

    double scalars(boolean z, byte b, char c, short s, int i, long j, float f, double d) {
        return (z ? 1 : 0) + b + c + s + i + j + f + d;
    }

    int length(String s) {
        return s.length();
    }

    String text(String s) {
        return s.concat(", ").concat(s).trim().substring(0, 2 * s.length() + 2);
    }
}
