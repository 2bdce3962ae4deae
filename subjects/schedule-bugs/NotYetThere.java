// Order violation: it is used before the other thread has made it. Fails with an exception.

public class NotYetThere {
    static String name;

    public static void main(String[] arguments) throws Exception {
        Thread maker = new Thread(() -> name = "made");
        maker.start();
        System.out.println(name.length());
        maker.join();
    }
}
