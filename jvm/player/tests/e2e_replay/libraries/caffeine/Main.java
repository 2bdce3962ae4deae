import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.time.Duration;

/** Caches, from two threads. */
public class Main {
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        LoadingCache<Integer, String> squares = Caffeine.newBuilder().maximumSize(50).recordStats()
            .executor(Runnable::run).build(key -> "square " + key * key);
        Cache<String, Integer> others = Caffeine.newBuilder().expireAfterWrite(Duration.ofHours(1)).weakKeys().build();
        Thread other = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                squares.get(i % 70);
            }
        });
        other.start();
        for (int i = 0; i < rounds; i++) {
            squares.get(i % 30);
            others.put("k" + i % 5, i);
        }
        other.join();
        squares.invalidate(3);
        squares.cleanUp();
        System.out.println(squares.get(3) + " " + (squares.estimatedSize() <= 50));
        System.out.println(squares.stats().requestCount());
    }
}
