// A seat that is filled and emptied by turns: who waits looks once only, and is woken by others.

public class Piper {
    private static final Object SEAT = new Object();
    private static String passenger;
    private static int boarded;
    private static int left;

    private static void board(String name) {
        synchronized (SEAT) {
            if (passenger != null) {
                await();
            }
            Noise.check(passenger == null, "the seat is taken");
            passenger = name;
            boarded++;
            SEAT.notifyAll();
        }
    }

    private static void leave() {
        synchronized (SEAT) {
            while (passenger == null) {
                await();
            }
            passenger = null;
            left++;
            SEAT.notifyAll();
        }
    }

    private static void await() {
        try {
            SEAT.wait(300);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> board("a"), () -> board("b"), () -> board("c"), () -> {
            Noise.make();
            leave();
        });
    }
}
