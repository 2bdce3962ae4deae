/** What the made classes are made of: each waits until it is its turn, so that they meet. */
public class Template implements Runnable {
    public Template() {}

    @Override
    public void run() {
        String name = getClass().getName();
        int mine = name.charAt(name.length() - 1) - '0';
        for (int i = 0; i < 20; i++) {
            int seen = Main.turn;
            Thread.yield();
            Main.turn = seen + 1;
            synchronized (Main.ORDER) {
                Main.ORDER.append(mine);
            }
        }
        synchronized (Main.ORDER) {
            while (Main.last != mine) {
                try {
                    Main.ORDER.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            Main.last = mine - 1;
            Main.ORDER.notifyAll();
        }
    }
}
