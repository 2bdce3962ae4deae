// Two accounts and two transfers in opposite directions, each with both monitors, one
// of them by a synchronized method: the transfers may wait for each other for ever.

class Account {
    private int balance = 100;

    synchronized void transfer(Account to, int amount) {
        balance -= amount;
        to.receive(amount);
    }

    synchronized void receive(int amount) {
        balance += amount;
    }
}

public class Main {
    public static void main(String[] arguments) throws InterruptedException {
        Account one = new Account();
        Account two = new Account();
        Thread there = new Thread(() -> one.transfer(two, 10));
        Thread back = new Thread(() -> {
            synchronized (two) {
                two.transfer(one, 10);
            }
        });
        there.start();
        back.start();
        there.join();
        back.join();
        System.out.println("done");
    }
}
