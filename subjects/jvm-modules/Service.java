package app;

/** Outside: found by its interface alone. */
public class Service implements Runnable {
    @Override
    public void run() {}
}
