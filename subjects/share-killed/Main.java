// Two threads count, and then the process is killed as nobody can prevent it.

public class Main {
    private static int count;

    public static void main(String[] arguments) throws Exception {
        Runnable counts = () -> {
            for (int i = 0; i < 1000; i++) {
                count++;
            }
        };
        Thread one = new Thread(counts);
        Thread two = new Thread(counts);
        one.start();
        two.start();
        one.join();
        two.join();
        String process = String.valueOf(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-KILL", process).start().waitFor();
        Thread.sleep(60_000);
    }
}
