// Atomicity: each method is synchronized, what is done with two of them is not. Fails with a status.

public class BankAccount {
    private int balance = 100;

    synchronized int balance() {
        return balance;
    }

    synchronized void set(int amount) {
        balance = amount;
    }

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        BankAccount account = new BankAccount();
        both(() -> account.set(account.balance() + 10), () -> account.set(account.balance() - 10));
        System.exit(account.balance() == 100 ? 0 : 1);
    }
}
