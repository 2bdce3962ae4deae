// Two threads ask ranges of Commons Lang 2.4 for their hash codes, which are computed when
// first asked for, step by step in the field itself: who asks meanwhile gets a part of it
// (LANG-481). The argument is the number of ranges.

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

import org.apache.commons.lang.math.IntRange;

public class Main {
    public static void main(String[] arguments) throws InterruptedException {
        IntRange[] ranges = new IntRange[Integer.parseInt(arguments[0])];
        for (int at = 0; at < ranges.length; at++) {
            ranges[at] = new IntRange(at, at + 5);
        }
        CyclicBarrier both = new CyclicBarrier(2);
        Runnable asks = () -> {
            try {
                both.await();
            } catch (InterruptedException | BrokenBarrierException never) {
                throw new IllegalStateException(never);
            }
            for (IntRange range : ranges) {
                int first = range.hashCode();
                if (first != range.hashCode()) {
                    throw new IllegalStateException("the hash code has changed");
                }
            }
        };
        Thread one = new Thread(asks);
        Thread two = new Thread(asks);
        one.start();
        two.start();
        one.join();
        two.join();
    }
}
