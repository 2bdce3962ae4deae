// ABA: a stack whose nodes come back. Fails with a status.

import java.util.concurrent.atomic.AtomicReference;

public class Aba {
    static final class Node {
        final int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static final AtomicReference<Node> TOP = new AtomicReference<>();

    static Node pop() {
        for (;;) {
            Node top = TOP.get();
            if (top == null) {
                return null;
            }
            Node next = top.next;
            if (TOP.compareAndSet(top, next)) {
                return top;
            }
        }
    }

    static void push(Node node) {
        do {
            node.next = TOP.get();
        } while (!TOP.compareAndSet(node.next, node));
    }

    public static void main(String[] arguments) throws Exception {
        TOP.set(new Node(1, new Node(2, new Node(3, null))));
        Node[] taken = new Node[2];
        Thread one = new Thread(() -> taken[0] = pop());
        Thread other = new Thread(() -> {
            Node first = pop();
            taken[1] = pop();
            push(first);
        });
        one.start();
        other.start();
        one.join();
        other.join();
        // Whoever is on the stack is not in anybody's hands.
        boolean twice = false;
        for (Node node = TOP.get(); node != null; node = node.next) {
            twice |= node == taken[0] || node == taken[1];
        }
        System.exit(twice ? 1 : 0);
    }
}
