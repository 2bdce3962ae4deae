// Transfers between accounts whose balances are read and written without a lock.

public class BankAccount {
    static final class Account {
        int amount;

        Account(int amount) {
            this.amount = amount;
        }

        void deposit(int money) {
            int before = amount;
            Noise.make();
            amount = before + money;
        }

        void withdraw(int money) {
            int before = amount;
            Noise.make();
            amount = before - money;
        }
    }

    private static Account first = new Account(100);
    private static Account second = new Account(100);
    private static int transfers;
    private static final Object LOCK = new Object();

    private static void transfer(Account from, Account to, int money) {
        from.withdraw(money);
        to.deposit(money);
        synchronized (LOCK) {
            transfers++;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Noise.run(() -> transfer(first, second, 10), () -> transfer(second, first, 20),
                () -> transfer(first, second, 5));
        Noise.check(transfers == 3, "a transfer was not counted");
        Noise.check(first.amount + second.amount == 200, "money is missing");
    }
}
