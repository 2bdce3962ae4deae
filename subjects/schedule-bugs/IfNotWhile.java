// A wait with if: who is woken does not look again. Fails with an exception.

import java.util.ArrayDeque;

public class IfNotWhile {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();

    synchronized void put(int item) {
        items.add(item);
        notifyAll();
    }

    synchronized int take() throws InterruptedException {
        if (items.isEmpty()) {
            wait();
        }
        return items.remove();
    }

    public static void main(String[] arguments) throws Exception {
        IfNotWhile queue = new IfNotWhile();
        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                try {
                    queue.take();
                } catch (InterruptedException never) {
                    System.exit(2);
                }
            }).start();
        }
        queue.put(1);
        queue.put(2);
    }
}
