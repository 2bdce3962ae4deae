// A bank whose tellers pay in without a lock: money gets lost when one of them reads the
// balance before another has written it. Everything else is done properly. Users record
// shares of this, and the failure is put together from them.
//
// With -Dbusy it happens in every run, as on a machine that is busy at the wrong moment:
// tellers then meet between reading and writing. The argument says how many customers each
// of them has.

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

class Moment {
    private static final CyclicBarrier BOTH = Boolean.getBoolean("busy") ? new CyclicBarrier(2) : null;

    static void passes() {
        if (BOTH == null) {
            return;
        }
        try {
            BOTH.await();
        } catch (InterruptedException | BrokenBarrierException never) {
            throw new IllegalStateException(never);
        }
    }
}

class Account {
    private int balance;
    private int payments;

    void pay(int amount) {
        int before = balance;
        Moment.passes();
        balance = before + amount;
        count();
    }

    private synchronized void count() {
        payments++;
    }

    int balance() {
        return balance;
    }

    synchronized int payments() {
        return payments;
    }
}

class Teller implements Runnable {
    private final Account account;
    private final Ledger ledger;
    private final int customers;
    private int served;

    Teller(Account account, Ledger ledger, int customers) {
        this.account = account;
        this.ledger = ledger;
        this.customers = customers;
    }

    @Override
    public void run() {
        for (int customer = 0; customer < customers; customer++) {
            ledger.open(customer);
            account.pay(10);
            ledger.close(customer);
            served++;
        }
    }

    int served() {
        return served;
    }
}

class Ledger {
    private final int[] entries = new int[9];
    private long opened;
    private long closed;
    private final Object lock = new Object();

    void open(int customer) {
        synchronized (lock) {
            opened++;
            entries[customer]++;
        }
    }

    void close(int customer) {
        synchronized (lock) {
            closed++;
            entries[customer]--;
        }
    }

    boolean isBalanced() {
        synchronized (lock) {
            return opened == closed;
        }
    }
}

public class Main {
    private static int tellers = 2;

    public static void main(String[] arguments) throws InterruptedException {
        int customers = Integer.parseInt(arguments[0]);
        Account account = new Account();
        Ledger ledger = new Ledger();
        Teller[] all = new Teller[tellers];
        Thread[] threads = new Thread[tellers];
        for (int at = 0; at < tellers; at++) {
            all[at] = new Teller(account, ledger, customers);
            threads[at] = new Thread(all[at]);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        int served = 0;
        for (int at = 0; at < tellers; at++) {
            threads[at].join();
            served += all[at].served();
        }
        if (!ledger.isBalanced() || account.payments() != served) {
            throw new AssertionError("the books are wrong");
        }
        if (account.balance() != 10 * served) {
            throw new IllegalStateException("money is missing");
        }
        System.out.println("balance " + account.balance());
    }
}
