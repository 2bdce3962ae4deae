import com.google.common.base.Splitter;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Iterables;
import com.google.common.collect.TreeRangeMap;
import com.google.common.collect.Range;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.Hashing;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.MoreExecutors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Collections, caches, futures, hashes. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        ArrayListMultimap<String, Integer> lengths = ArrayListMultimap.create();
        for (String word : Splitter.on(' ').omitEmptyStrings().split("one  two three four five six seven")) {
            lengths.put("l" + word.length(), word.hashCode());
        }
        System.out.println(ImmutableSortedMap.copyOf(lengths.asMap()));
        HashBasedTable<Integer, Integer, Integer> table = HashBasedTable.create();
        TreeRangeMap<Integer, String> ranges = TreeRangeMap.create();
        BloomFilter<Integer> filter = BloomFilter.create(Funnels.integerFunnel(), 100);
        for (int i = 0; i < rounds; i++) {
            table.put(i % 4, i % 5, i);
            ranges.put(Range.closedOpen(i * 3, i * 3 + 5), "r" + i % 7);
            filter.put(i);
        }
        System.out.println(table.row(2) + " " + ranges.get(17) + " " + filter.mightContain(rounds - 1));
        System.out.println(Hashing.murmur3_128().hashString("text", StandardCharsets.UTF_8));
        LoadingCache<Integer, String> cache = CacheBuilder.newBuilder().maximumSize(10)
            .build(CacheLoader.from(key -> "v" + key));
        for (int i = 0; i < rounds; i++) {
            cache.get(i % 15);
        }
        System.out.println(cache.size() + " " + Iterables.getFirst(cache.asMap().keySet(), 0).getClass());
        futures(rounds);
    }

    private static void futures(int rounds) throws Exception {
        ListeningExecutorService pool = MoreExecutors.listeningDecorator(Executors.newFixedThreadPool(2));
        List<ListenableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            int number = i;
            all.add(Futures.transform(pool.submit(() -> number * 2), x -> x + 1, MoreExecutors.directExecutor()));
        }
        System.out.println(Futures.allAsList(all).get().stream().mapToInt(x -> x).sum());
        pool.shutdown();
    }
}
