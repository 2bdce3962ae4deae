// Workers must not begin before the manager has given out the orders, which one does not
// wait for.

public class Garage {
    private static String order;
    private static boolean given;
    private static int done;
    private static int hurried;

    private static synchronized void giveOut() {
        order = "tyres";
        given = true;
        Garage.class.notifyAll();
    }

    private static synchronized void patient() {
        while (!given) {
            try {
                Garage.class.wait();
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        }
        done += order.length();
    }

    private static void hasty() {
        Noise.make();
        hurried++;
        done(order);
    }

    private static void done(String what) {
        synchronized (Garage.class) {
            done += what.length();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(Garage::patient, () -> {
            Noise.make();
            giveOut();
        }, Garage::hasty);
    }
}
