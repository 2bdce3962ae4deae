import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/** Immutable JDK values that come in, are worked on inside, and go out again. */
public class Main {
    public static void main(String[] args) {
        LocalDateTime noon = LocalDateTime.of(2024, 2, 29, 12, 0, 0, 5);
        ZonedDateTime berlin = noon.atZone(ZoneId.of("Europe/Berlin"));
        // The hour that there is twice.
        ZonedDateTime twice = LocalDateTime.of(2024, 10, 27, 2, 30).atZone(ZoneId.of("Europe/Berlin"))
            .withLaterOffsetAtOverlap();
        Object[] values = {
            noon, berlin, twice, noon.toLocalDate(), noon.toLocalTime(), LocalTime.MIDNIGHT, Instant.ofEpochSecond(7, 9),
            Instant.MAX, Instant.MIN, Duration.ofMillis(-1), Duration.ZERO, Period.of(1, -2, 3), Period.ZERO, Year.of(-5), Year.of(12345),
            YearMonth.of(2024, 2), YearMonth.of(-1, 2), MonthDay.of(2, 29), Month.MAY, DayOfWeek.SUNDAY,
            ZoneOffset.ofHoursMinutes(5, 30), ZoneOffset.UTC, ZoneOffset.MAX, ZoneId.of("Europe/Berlin"), ZoneId.of("GMT+2"),
            OffsetDateTime.of(noon, ZoneOffset.ofHours(-8)), OffsetTime.of(LocalTime.NOON, ZoneOffset.UTC),
            LocalDate.MIN, LocalDate.MAX, LocalDateTime.MIN, LocalDateTime.MAX,
            new BigDecimal("1E+500"), new BigDecimal("1.500"), BigDecimal.ZERO, new BigDecimal("-0.00"),
            BigInteger.TWO.pow(200), new UUID(Long.MIN_VALUE, -1), Optional.of("x"), Optional.empty(),
            OptionalInt.of(3), OptionalLong.empty(), Locale.GERMANY, Locale.ROOT, Currency.getInstance("EUR"),
            StandardCharsets.UTF_8, MathContext.DECIMAL32, RoundingMode.HALF_EVEN, MathContext.class, void.class, int[][].class, Thread.State.NEW,
        };
        Clockwork clockwork = new Clockwork();
        int same = 0;
        for (Object value : values) {
            same += clockwork.keep(value) == value ? 1 : 0;
            System.out.println(clockwork.text(value));
        }
        System.out.println(same + " of " + values.length);
        System.out.println(clockwork.days(noon.toLocalDate(), LocalDate.of(2025, 1, 1)));
        System.out.println(clockwork.later(berlin, Duration.ofHours(30)));
        System.out.println(clockwork.price(new BigDecimal("19.99"), 3));
        System.out.println(clockwork.factorial(30));
        System.out.println(clockwork.name(Optional.of("ada")) + clockwork.name(Optional.empty()));
        System.out.println(clockwork.made());
        System.out.println(clockwork.sorts(new LocalDate[] {LocalDate.of(3, 1, 1), LocalDate.of(2, 1, 1)}));
        System.out.println(clockwork.kinds(Month.MAY) + clockwork.kinds(new UUID(3, 4)) + clockwork.kinds(int.class));
    }
}

class Clockwork {
    Object keep(Object value) {
        return value;
    }

    String text(Object value) {
        return value.toString() + value.equals(value) + value.getClass().getName();
    }

    long days(LocalDate from, LocalDate to) {
        return to.toEpochDay() - from.toEpochDay() + (from.isBefore(to) ? 1000 : 0) + from.compareTo(to);
    }

    ZonedDateTime later(ZonedDateTime at, Duration by) {
        ZonedDateTime then = at.plus(by).plusDays(2).withZoneSameInstant(ZoneId.of("Asia/Tokyo"));
        return then.getDayOfWeek() == DayOfWeek.SUNDAY ? then : then.minusNanos(1);
    }

    String price(BigDecimal one, int count) {
        BigDecimal sum = one.multiply(BigDecimal.valueOf(count)).setScale(1, RoundingMode.HALF_UP);
        return sum.signum() > 0 ? sum.toPlainString() : sum.negate().toString();
    }

    BigInteger factorial(int n) {
        BigInteger product = BigInteger.ONE;
        for (int i = 2; i <= n; i++) {
            product = product.multiply(BigInteger.valueOf(i));
        }
        return product.mod(BigInteger.TEN.pow(9)).equals(BigInteger.ZERO) ? product : product.shiftLeft(1);
    }

    String name(Optional<String> name) {
        return name.map(text -> text.concat("!")).orElseGet(() -> "nobody") + name.isPresent();
    }

    String made() {
        UUID id = UUID.nameUUIDFromBytes(new byte[] {1, 2, 3});
        Instant instant = Instant.parse("2020-01-01T00:00:00Z").plusSeconds(60);
        return id + " " + instant + " " + LocalDate.of(2020, Month.JANUARY, 31).plusMonths(1)
            + new BigDecimal(1.5).add(new BigDecimal("2")) + YearMonth.now().equals(null);
    }

    String sorts(LocalDate[] dates) {
        java.util.Arrays.sort(dates);
        return dates[0].toString();
    }

    String kinds(Object o) {
        if (o instanceof Month) {
            switch ((Month) o) {
                case MAY: return "may " + ((Month) o).ordinal();
                default: return "month";
            }
        }
        return o instanceof UUID ? "uuid " + ((UUID) o).getLeastSignificantBits() : ((Class<?>) o).getName();
    }
}
