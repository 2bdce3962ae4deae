// A bill that fails when nobody is at the table: the tour records Bill alone.
// Argument: a file with an order a line, guests and cents; without it, two orders.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public class Main {
    public static void main(String[] arguments) throws Exception {
        List<String> orders = List.of("3 1830", "0 990");
        if (arguments.length > 0) {
            orders = Files.readAllLines(Path.of(arguments[0]));
        }
        Bill bill = new Bill();
        for (String order : orders) {
            String[] words = order.split(" ");
            int each = bill.each(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            System.out.println("each pays " + each);
        }
    }
}

class Bill {
    private int served;

    int each(int guests, int cents) {
        served++;
        int total = cents + Tip.of(cents, served);
        return total / guests;
    }
}

class Tip {
    static int of(int cents, int number) {
        return cents / 10 + number;
    }
}
