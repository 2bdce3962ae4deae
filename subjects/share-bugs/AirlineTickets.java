// More seats are sold than there are: the last seat is checked and sold in two steps.

public class AirlineTickets {
    private static int sold;
    private static int seats = 3;
    private static boolean soldOut;
    private static int[] agents = new int[5];

    private static void sell(int agent) {
        if (!soldOut && sold < seats) {
            Noise.make();
            sold++;
            agents[agent]++;
            if (sold == seats) {
                soldOut = true;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> sell(0), () -> sell(1), () -> sell(2), () -> sell(3), () -> sell(4));
        int all = 0;
        for (int agent : agents) {
            all += agent;
        }
        Noise.check(all <= seats, "more is sold than there is");
    }
}
