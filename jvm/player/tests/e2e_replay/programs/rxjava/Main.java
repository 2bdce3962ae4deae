import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.processors.ReplayProcessor;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subjects.PublishSubject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Streams of every kind, on one thread and on several, with one outcome. Arguments: how many times, how many threads. */
public class Main {
    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        Random random = new Random(3);
        for (int i = 0; i < count; i++) {
            sequential(random);
            times(random);
            subjects(random);
            failures(random);
            if (threads > 0) {
                parallel(random, threads);
            }
        }
    }

    private static List<Integer> numbers(Random random, int count) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(random.nextInt(100));
        }
        return numbers;
    }

    private static void sequential(Random random) {
        List<Integer> numbers = numbers(random, 30);
        System.out.println(Observable.fromIterable(numbers).filter(n -> n % 2 == 0).map(n -> n * 3)
            .distinct().sorted(Collections.reverseOrder()).toList().blockingGet());
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        Observable.fromIterable(numbers).groupBy(n -> n % 5)
            .flatMapSingle(group -> group.toList().map(list -> Map.entry(group.getKey(), list)))
            .blockingForEach(entry -> groups.put(entry.getKey(), entry.getValue()));
        System.out.println(groups);
        System.out.println(Flowable.fromIterable(numbers).window(7, 3)
            .concatMapEager(window -> window.reduce(0, Integer::sum).toFlowable())
            .scan(Integer::sum).takeLast(3).toList().blockingGet());
        System.out.println(Observable.zip(Observable.fromIterable(numbers), Observable.range(0, 10),
            Observable.just("a", "b").repeat(), (a, b, c) -> a + c + b).buffer(4, 2).toList().blockingGet());
        System.out.println(Single.zip(Single.just(1), Maybe.just(2).toSingle(), Integer::sum)
            .flatMapObservable(n -> Observable.range(n, 3)).collectInto(new TreeSet<>(), TreeSet::add).blockingGet());
        System.out.println(Flowable.<Integer, Integer>generate(() -> 1, (state, out) -> {
            out.onNext(state);
            return state * 2;
        }).takeWhile(n -> n < 500).skip(2).cast(Number.class).ofType(Integer.class).blockingLast());
        System.out.println(Observable.fromIterable(numbers).switchMap(n -> Observable.just(n, -n))
            .elementAtOrError(5).blockingGet());
    }

    private static void times(Random random) {
        TestScheduler clock = new TestScheduler();
        TestObserver<Long> ticks = Observable.interval(10, TimeUnit.MILLISECONDS, clock).take(20)
            .filter(n -> n % 3 != 0).throttleFirst(25, TimeUnit.MILLISECONDS, clock).test();
        TestObserver<List<Long>> buffers = Observable.interval(7, TimeUnit.MILLISECONDS, clock)
            .buffer(20, TimeUnit.MILLISECONDS, clock).take(4).test();
        TestObserver<Integer> late = Observable.just(random.nextInt(10))
            .delay(50, TimeUnit.MILLISECONDS, clock).timeout(30, TimeUnit.MILLISECONDS, clock)
            .onErrorReturnItem(-1).test();
        clock.advanceTimeBy(300, TimeUnit.MILLISECONDS);
        System.out.println(ticks.values() + " " + buffers.values() + " " + late.values());
    }

    private static void subjects(Random random) {
        PublishSubject<Integer> subject = PublishSubject.create();
        TestObserver<Integer> first = subject.map(n -> n + 1).test();
        subject.onNext(random.nextInt(10));
        TestObserver<Integer> second = subject.publish(shared ->
            Observable.merge(shared.filter(n -> n > 4), shared.map(n -> -n))).test();
        for (int n : numbers(random, 5)) {
            subject.onNext(n);
        }
        first.dispose();
        subject.onComplete();
        System.out.println(first.values() + " " + second.values());
        ReplayProcessor<Integer> replayed = ReplayProcessor.createWithSize(3);
        Flowable.fromIterable(numbers(random, 6)).subscribe(replayed);
        System.out.println(replayed.toList().blockingGet());
        System.out.println(Flowable.<Integer>create(out -> {
            for (int i = 0; i < 300; i++) {
                out.onNext(i);
            }
            out.onComplete();
        }, BackpressureStrategy.BUFFER).onBackpressureDrop().rebatchRequests(16).count().blockingGet());
    }

    private static void failures(Random random) {
        int[] tries = {0};
        System.out.println(Observable.fromCallable(() -> {
            if (tries[0]++ < 2) {
                throw new IllegalStateException("try " + tries[0]);
            }
            return tries[0];
        }).retry(3).blockingSingle());
        System.out.println(Observable.fromIterable(numbers(random, 8)).map(n -> 100 / (n - n % 7 - 7))
            .onErrorResumeNext(e -> Observable.just(-1)).materialize().map(n -> n.isOnNext()).toList().blockingGet());
        try {
            Completable.concatArray(Completable.complete(), Completable.error(new IllegalArgumentException("no")))
                .doFinally(() -> System.out.println("finally")).blockingAwait();
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Observable.concatDelayError(List.of(Observable.just(1),
            Observable.<Integer>error(new RuntimeException("late")), Observable.just(2)))
            .onErrorReturn(e -> e.getMessage().length()).toList().blockingGet());
    }

    private static void parallel(Random random, int threads) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Scheduler scheduler = Schedulers.from(pool);
        List<Integer> numbers = numbers(random, 60);
        System.out.println(Flowable.fromIterable(numbers).parallel(threads).runOn(scheduler)
            .map(n -> n * n).filter(n -> n % 2 == 1).sequential().toSortedList().blockingGet());
        System.out.println(Observable.fromIterable(numbers).flatMap(n -> Observable.range(0, 3)
            .map(k -> n + k).subscribeOn(scheduler)).toSortedList().blockingGet().size());
        System.out.println(Flowable.range(0, 200).observeOn(scheduler).concatMap(n -> Flowable.just(n, n)
            .subscribeOn(scheduler)).reduce(0, Integer::sum).blockingGet());
        System.out.println(Single.merge(Single.fromCallable(() -> 3).subscribeOn(scheduler),
            Single.fromCallable(() -> 4).subscribeOn(scheduler)).reduce(1, (a, b) -> a * b).blockingGet());
        pool.shutdown();
    }
}
