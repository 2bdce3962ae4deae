import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.concurrent.CountDownLatch;

/** A ring buffer between threads. */
public class Main {
    static final class Slot {
        long value;
        long doubled;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        CountDownLatch done = new CountDownLatch(1);
        long[] sum = new long[1];
        Disruptor<Slot> disruptor = new Disruptor<>(Slot::new, 64, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE,
            new YieldingWaitStrategy());
        disruptor.handleEventsWith((slot, sequence, last) -> slot.doubled = slot.value * 2)
            .then((slot, sequence, last) -> {
                sum[0] += slot.doubled;
                if (sequence == count - 1) {
                    done.countDown();
                }
            });
        RingBuffer<Slot> ring = disruptor.start();
        for (int i = 0; i < count; i++) {
            long value = i;
            ring.publishEvent((slot, sequence) -> slot.value = value);
        }
        done.await();
        disruptor.shutdown();
        System.out.println(sum[0]);
    }
}
