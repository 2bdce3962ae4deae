import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A cache that four threads use at once: lambdas, atomics, volatile fields, executors. */
public class Main {
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        Cache<Integer, String> cache = Caffeine.newBuilder().maximumSize(100).recordStats().build();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Long>> sums = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int offset = t;
            sums.add(pool.submit(() -> {
                long sum = 0;
                for (int i = 0; i < count; i++) {
                    sum += cache.get((i * 7 + offset) % 90, key -> "v" + key).length();
                }
                return sum;
            }));
        }
        long all = 0;
        for (Future<Long> sum : sums) {
            all += sum.get();
        }
        pool.shutdown();
        System.out.println(pool.awaitTermination(60, TimeUnit.SECONDS) + " " + all);
    }
}
