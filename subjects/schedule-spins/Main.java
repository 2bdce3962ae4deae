// A thread waits in a loop for what another one does, and never blocks.

public class Main {
    static volatile boolean done;

    public static void main(String[] arguments) throws InterruptedException {
        Thread other = new Thread(() -> done = true);
        other.start();
        long looks = 0;
        while (!done) {
            looks++;
        }
        other.join();
        System.out.println(looks < 0 ? "overflow" : "done");
    }
}
