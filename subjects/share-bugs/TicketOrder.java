// Orders have numbers, and two of them may get the same one.

public class TicketOrder {
    private static int next = 1;
    private static int[] orders = new int[4];
    private static int customers;

    private static void order(int customer) {
        int number = next;
        Noise.make();
        next = number + 1;
        orders[customer] = number;
        synchronized (TicketOrder.class) {
            customers++;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> order(0), () -> order(1), () -> order(2), () -> order(3));
        boolean[] seen = new boolean[8];
        for (int number : orders) {
            Noise.check(!seen[number], "two orders have one number");
            seen[number] = true;
        }
    }
}
