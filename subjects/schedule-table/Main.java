// What interrupts do to a thread, by what it does at that moment. `table.sched` is the schedule.

public class Main {
    interface Call {
        void run() throws InterruptedException;
    }

    private static final Object LOCK = new Object();

    private static String flag() {
        return Thread.currentThread().isInterrupted() + " " + Thread.interrupted() + " " + Thread.interrupted();
    }

    private static void tell(String what, Call call) {
        try {
            call.run();
            System.out.println(what + " returns, flag " + flag());
        } catch (InterruptedException interrupted) {
            System.out.println(what + " throws, flag " + flag());
        }
    }

    private static Thread start(String what, Call call) {
        Thread thread = new Thread(() -> tell(what, call));
        thread.start();
        return thread;
    }

    private static void await(long millis) throws InterruptedException {
        synchronized (LOCK) {
            LOCK.wait(millis);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread main = Thread.currentThread();
        for (Call call : new Call[] {() -> await(0), () -> main.join(), () -> Thread.sleep(9)}) {
            main.interrupt();
            tell("with the flag, a call", call);
        }
        Thread sleeps = start("sleep", () -> Thread.sleep(9_000_000));
        Thread joins = start("join", () -> main.join());
        Thread awaits = start("wait", () -> await(0));
        sleeps.interrupt();
        joins.interrupt();
        awaits.interrupt();
        sleeps.join();
        joins.join();
        awaits.join();
        Thread slept = start("sleep in time", () -> Thread.sleep(20));
        Thread joined = start("join in time", () -> main.join(20));
        Thread awaited = start("wait in time", () -> await(20));
        slept.interrupt();
        joined.interrupt();
        awaited.interrupt();
        slept.join();
        joined.join();
        awaited.join();
        Thread dies = new Thread(() -> { });
        dies.start();
        Thread follows = start("join of a thread that has ended", () -> dies.join());
        follows.interrupt();
        follows.join();
        Thread notified = start("wait with a notification", () -> await(0));
        synchronized (LOCK) {
            LOCK.notify();
        }
        notified.interrupt();
        notified.join();
        Thread ready = start("nothing", () -> { });
        ready.interrupt();
        ready.join();
        Thread fails = new Thread(() -> { throw new IllegalStateException("as it should"); });
        fails.setUncaughtExceptionHandler((thread, thrown) -> System.out.println(thrown.getMessage()));
        fails.start();
        fails.join();
        System.out.println("done");
    }
}
