import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/**
 * Work that pools of the JDK divide among their threads, by rules of their own: parallel streams in
 * the common pool and in one of the program's, fork and join, futures. What it prints is who
 * got which part, and in which order. With arguments only the parts of these names are done.
 */
public class Main {
    static final AtomicInteger SPLITS = new AtomicInteger();

    static String me() {
        String name = Thread.currentThread().getName();
        return name.replace("ForkJoinPool", "").replace(".commonPool-worker-", "common");
    }

    /** Some work. */
    static int work(int number) {
        int sum = number;
        for (int at = 0; at < 3_000; at++) {
            sum = 31 * sum + at;
        }
        return sum;
    }

    static void common() {
        Queue<String> who = new ConcurrentLinkedQueue<>();
        IntStream.range(0, 40).parallel().forEach(i -> who.add(i + me() + (work(i) & 1)));
        System.out.println("common " + who);
        List<String> parts = IntStream.range(0, 64).parallel().boxed()
                .collect(ArrayList::new, (list, i) -> list.add(i + me() + (work(i) & 1)), ArrayList::addAll);
        System.out.println("parts " + parts);
        System.out.println("reduced " + IntStream.range(0, 32).parallel().boxed()
                .reduce("", (text, i) -> text + i + me().charAt(0) + (work(i) & 1), (a, b) -> "(" + a + b + me() + ")"));
    }

    static void own() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        Queue<String> who = new ConcurrentLinkedQueue<>();
        pool.submit(() -> IntStream.range(0, 60).parallel().forEach(i -> who.add(i + me() + (work(i) & 1)))).get();
        System.out.println("own " + who);
        System.out.println("any " + pool.submit(() ->
                IntStream.range(0, 1000).parallel().filter(i -> work(i) % 3 == 0).findAny()).get());
        System.out.println("match " + pool.submit(() ->
                IntStream.range(0, 1000).parallel().peek(i -> who.add("m" + i)).anyMatch(i -> work(i) % 97 == 0)).get());
        who.removeIf(name -> !name.startsWith("m"));
        System.out.println("looked at " + who.size());
        pool.shutdown();
    }

    /** No code of the program says who takes what. */
    static void inside() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        List<Integer> numbers = IntStream.range(0, 300).boxed().collect(Collectors.toList());
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        pool.submit(() -> numbers.parallelStream().forEach(order::add)).get();
        System.out.println("order " + order);
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        System.out.println("first " + pool.submit(() -> numbers.parallelStream()
                .map(i -> i % 20 + 100 * (work(i) & 7)).unordered().filter(seen::add).limit(5)
                .map(i -> i + me()).collect(Collectors.toList())).get());
        System.out.println("grouped " + pool.submit(() -> numbers.parallelStream()
                .collect(Collectors.groupingByConcurrent(i -> i % 4))).get());
        long sum = pool.submit(() -> IntStream.range(0, 50_000_000).parallel().asLongStream().sum()).get();
        System.out.println("sum " + sum);
        pool.shutdown();
        ConcurrentHashMap<Integer, String> map = new ConcurrentHashMap<>();
        numbers.forEach(i -> map.put(i, "x" + i));
        System.out.println("found " + map.search(1, (key, value) -> work(key) % 5 == 1 ? key + me() : null));
        System.out.println("all " + map.reduceKeys(8, i -> me() + (work(i) & 1), (a, b) -> a.length() > 200 ? a : a + b));
        Integer[] sorted = IntStream.range(0, 20_000).map(i -> work(i) % 50_000).boxed().toArray(Integer[]::new);
        Comparing comparing = new Comparing();
        Arrays.parallelSort(sorted, comparing);
        System.out.println("sorted " + sorted[0] + " " + sorted[19_999] + " " + comparing.others.get());
    }

    /** How often somebody else compares than who began. */
    static final class Comparing implements Comparator<Integer> {
        final Thread begins = Thread.currentThread();
        final AtomicInteger others = new AtomicInteger();

        @Override
        public int compare(Integer one, Integer other) {
            if (Thread.currentThread() != begins && (one & 63) == 0) {
                others.incrementAndGet();
            }
            return Integer.compare(one, other);
        }
    }

    /** Numbers that know into how many parts they were split. */
    static final class Numbers implements Spliterator<Integer> {
        private int from;
        private final int to;

        Numbers(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public boolean tryAdvance(Consumer<? super Integer> action) {
            if (from >= to) {
                return false;
            }
            if (work(from) % 7 == 0) {
                SPLITS.addAndGet(100);
            }
            action.accept(from++);
            return true;
        }

        @Override
        public Spliterator<Integer> trySplit() {
            int middle = (from + to) / 2;
            if (to - from < 10) {
                return null;
            }
            int begin = from;
            from = middle;
            System.out.println("split " + SPLITS.incrementAndGet() + " at " + middle + " by " + me());
            return new Numbers(begin, middle);
        }

        @Override
        public long estimateSize() {
            return to - from;
        }

        @Override
        public int characteristics() {
            return SIZED | SUBSIZED;
        }
    }

    static void split() {
        Map<String, Integer> counts = new ConcurrentHashMap<>();
        StreamSupport.stream(new Numbers(0, 200), true).forEach(i -> counts.merge(me(), 1, Integer::sum));
        System.out.println("counts " + new java.util.TreeMap<>(counts) + " " + SPLITS.get());
    }

    static final class Sum extends RecursiveTask<String> {
        private final int from;
        private final int to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected String compute() {
            if (to - from <= 4) {
                int sum = 0;
                for (int i = from; i < to; i++) {
                    sum += work(i) & 1;
                }
                return from + me() + sum + " ";
            }
            int middle = (from + to) / 2;
            Sum left = new Sum(from, middle);
            left.fork();
            String right = new Sum(middle, to).compute();
            return left.join() + right;
        }
    }

    static void forks() {
        ForkJoinPool pool = new ForkJoinPool(4);
        System.out.println("forks " + pool.invoke(new Sum(0, 100)));
        pool.shutdown();
        System.out.println("common forks " + new Sum(0, 60).invoke());
    }

    static void futures() throws Exception {
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            CompletableFuture<String> one = CompletableFuture.supplyAsync(() -> number + me() + (work(number) & 1));
            all.add(one.thenApplyAsync(text -> text + "," + me())
                    .thenCombineAsync(CompletableFuture.supplyAsync(() -> me()), (a, b) -> a + "+" + b + me()));
        }
        CompletableFuture<Object> any = CompletableFuture.anyOf(all.toArray(new CompletableFuture[0]));
        CompletableFuture.allOf(all.toArray(new CompletableFuture[0])).get();
        System.out.println("any future " + any.get());
        for (CompletableFuture<String> one : all) {
            System.out.println("future " + one.get());
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> parts = arguments.length > 0 ? Arrays.asList(arguments)
                : List.of("common", "own", "inside", "split", "forks", "futures", "publishers");
        for (String part : parts) {
            switch (part) {
                case "common": common(); break;
                case "own": own(); break;
                case "inside": inside(); break;
                case "split": split(); break;
                case "forks": forks(); break;
                case "futures": futures(); break;
                default: Publishers.run();
            }
        }
    }
}
