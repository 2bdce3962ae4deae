import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.Valid;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Locale;

/** Checks beans. */
public class Main {
    static class Order {
        @NotNull @Size(min = 2, max = 5) String name;
        @Max(10) int amount;
        @Valid List<Part> parts;

        Order(String name, int amount, List<Part> parts) {
            this.name = name;
            this.amount = amount;
            this.parts = parts;
        }
    }

    static class Part {
        @Pattern(regexp = "[a-z]+") String code;

        Part(String code) {
            this.code = code;
        }
    }

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ENGLISH);
        try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
            for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
                Order order = new Order(i % 2 == 0 ? null : "toolong" + i, i * 6, List.of(new Part("abc"), new Part("X" + i)));
                factory.getValidator().validate(order).stream()
                    .map(wrong -> wrong.getPropertyPath() + " " + wrong.getMessage()).sorted().forEach(System.out::println);
            }
        }
    }
}
