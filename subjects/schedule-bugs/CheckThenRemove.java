// Check-then-act on a synchronized list. Fails with an exception.

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class CheckThenRemove {
    static final List<Integer> LIST = Collections.synchronizedList(new ArrayList<>(List.of(1)));

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        Runnable takes = () -> {
            if (!LIST.isEmpty()) {
                LIST.remove(0);
            }
        };
        both(takes, takes);
    }
}
