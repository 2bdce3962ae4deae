// Order violation: it is closed while it is used. Fails with an exception.

public class NoLongerThere {
    private String buffer = "open";

    public static void main(String[] arguments) throws Exception {
        NoLongerThere file = new NoLongerThere();
        Thread closer = new Thread(() -> file.buffer = null);
        closer.start();
        if (file.buffer != null) {
            System.out.println(file.buffer.length());
        }
        closer.join();
    }
}
