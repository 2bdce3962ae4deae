import java.util.ArrayList;
import java.util.List;

/** Calls both ways: Main is outside, Cart is inside, lists are outside. */
public class Main {
    public static void main(String[] args) {
        Cart cart = new Cart("Ada");
        cart.add("tea", 3);
        cart.add("milk", 2L);
        System.out.println(cart.total() + " " + cart.count((byte) 1, 'x', (short) 3, 2.5f, true));
        System.out.println(Cart.describe(cart));
    }
}

class Cart {
    private final List<String> names = new ArrayList<>();
    private final String owner;
    private double total;

    Cart(String owner) {
        this.owner = owner;
    }

    void add(String name, int price) {
        names.add(name);
        total += price;
    }

    void add(String name, long price) {
        add(name, (int) price);
    }

    double total() {
        return total;
    }

    int count(byte b, char c, short s, float f, boolean z) {
        return names.size() + b + c + s + (int) f + (z ? 1 : 0);
    }

    static String describe(Cart cart) {
        StringBuilder text = new StringBuilder(cart.owner);
        for (String name : cart.names) {
            text.append(' ').append(name.length());
        }
        return text.toString();
    }
}
