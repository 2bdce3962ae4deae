// Lost update: two threads add to a plain field. Fails with a status.

public class LostUpdate {
    static int counter;

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        Runnable adds = () -> {
            for (int i = 0; i < 2; i++) {
                counter++;
            }
        };
        both(adds, adds);
        System.exit(counter == 4 ? 0 : 1);
    }
}
