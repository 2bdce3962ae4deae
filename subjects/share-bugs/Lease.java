// Who has a lease may write until it has run out, and looks once, before it writes. A holder
// that loses the processor for longer than the lease writes together with the next one.

import java.util.concurrent.locks.LockSupport;

public class Lease {
    private static final int LENGTH = 12;
    private static final int ROUNDS = 20;

    private static volatile int clock;
    private static volatile int until;
    private static volatile int holder;
    private static int balance;
    private static int granted;
    private static int refused;
    private static volatile int working;
    private static int ticks;
    private static volatile int ended;

    private static synchronized boolean take(int me) {
        if (holder != 0 && holder != me && clock < until) {
            refused++;
            return false;
        }
        holder = me;
        until = clock + LENGTH;
        granted++;
        return true;
    }

    private static synchronized void giveBack(int me) {
        if (holder == me) {
            holder = 0;
        }
    }

    private static void round(int me) {
        while (!take(me)) {
            LockSupport.parkNanos(50_000);
        }
        if (clock < until) {
            working = me;
            int now = balance;
            Noise.rarely(60);
            balance = now + 1;
            Noise.check(working == me, "two holders");
            working = 0;
        }
        giveBack(me);
    }

    private static void work(int me) {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                round(me);
                LockSupport.parkNanos(20_000);
            }
        } finally {
            synchronized (Lease.class) {
                ended = ended + 1;
            }
        }
    }

    private static void tick() {
        while (ended < 2) {
            clock = clock + 1;
            ticks++;
            LockSupport.parkNanos(20_000);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> work(1), () -> work(2), Lease::tick);
    }
}
