import java.io.File;

/** A small shop: `Cart` is observed. */
public class Main {
    public static void main(String[] args) throws Exception {
        String how = args.length > 0 ? args[0] : "";
        Cart cart = new Cart();
        cart.add("tea", 3);
        cart.add("cake", 1);
        System.out.println(cart.total(new Prices()));
        if (how.equals("fail")) {
            cart.total(null);
        }
        if (how.equals("exit")) {
            System.exit(7);
        }
        if (how.equals("kill")) {
            Runtime.getRuntime().halt(9);
        }
        // Goes on until somebody removes the file.
        for (File file = new File("go-on"); how.equals("wait") && file.exists(); ) {
            cart.total(new Prices());
        }
    }
}

class Cart {
    private final java.util.List<String> things = new java.util.ArrayList<>();
    private int pieces;

    void add(String thing, int count) {
        things.add(thing);
        pieces += count;
    }

    int total(Prices prices) {
        return pieces * prices.of(things.get(0));
    }
}

class Prices {
    int of(String thing) {
        return thing.length();
    }
}
