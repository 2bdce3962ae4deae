import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One thread is before a monitor that another one has, while that one and a third go on outside.
 * Whoever is held up was in a monitor of the same class just before, so that its order behind the
 * other one is known, and nothing more was recorded of its waiting; and what it does afterwards
 * goes on from where it had begun.
 */
public class Main {
    public static void main(String[] args) throws InterruptedException {
        Vault vault = new Vault(new Vault(null));
        Thread holder = new Thread(vault::hold, "holder");
        Thread late = new Thread(vault::enter, "late");
        Thread third = new Thread(() -> {
            while (!vault.isAwaited()) {
                Thread.yield();
            }
            pause();
            System.out.println(vault.look() + " looks");
        }, "third");
        for (Thread thread : new Thread[] {holder, late, third}) {
            thread.start();
        }
        for (Thread thread : new Thread[] {holder, late, third}) {
            thread.join();
        }
        System.out.println(vault.entries() + " entries");
    }

    static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }
}

/** Inside. */
class Vault {
    private final Vault spare;
    private final AtomicBoolean awaited = new AtomicBoolean();
    private volatile boolean taken;
    private int entries;
    private int looks;

    Vault(Vault spare) {
        this.spare = spare;
    }

    synchronized void hold() {
        taken = true;
        while (!awaited.get()) {
            Thread.yield();
        }
        // The other one is before the monitor by then, or will be; what follows is later by the clock.
        for (int i = 0; i < 3; i++) {
            Main.pause();
        }
        entries++;
    }

    void enter() {
        while (!taken) {
            // Until the other one is in.
        }
        spare.entries();
        awaited.set(true);
        synchronized (this) {
            // This speaks of nothing that another thread has done.
            entries += System.nanoTime() == 0 ? 0 : 1;

        }
    }

    boolean isAwaited() {
        return awaited.get();
    }

    int look() {
        return ++looks;
    }

    synchronized int entries() {
        return entries;
    }
}
