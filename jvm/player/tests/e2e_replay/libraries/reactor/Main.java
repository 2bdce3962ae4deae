import java.time.Duration;
import reactor.core.publisher.*;
import reactor.core.scheduler.Schedulers;

/** Streams on several threads. */
public class Main {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Long sum = Flux.range(1, n).parallel(3).runOn(Schedulers.parallel()).map(i -> i * (long) i)
            .sequential().reduce(Long::sum).block();
        System.out.println(sum);
        System.out.println(Flux.range(1, n).flatMap(i -> Mono.just(i).subscribeOn(Schedulers.boundedElastic()), 4).count().block());
        System.out.println(Flux.just("a", "b", "c").delayElements(Duration.ofMillis(5)).zipWith(Flux.interval(Duration.ofMillis(3))).map(t -> t.getT1() + t.getT2()).collectList().block());
        System.out.println(Flux.range(1, 10).window(3).concatMap(Flux::collectList).groupBy(l -> l.size()).flatMap(g -> g.count().map(c -> g.key() + ":" + c)).collectSortedList().block());
        try {
            Flux.range(0, 3).map(i -> 6 / i).retry(1).blockLast();
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        Schedulers.shutdownNow();
    }
}
