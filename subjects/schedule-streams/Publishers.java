import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.SubmissionPublisher;

/** Two subscribers each, of which one is slow, in the common pool and in an executor. */
final class Publishers {
    private static final Queue<String> GOT = new ConcurrentLinkedQueue<>();

    static final class Reader implements Flow.Subscriber<Integer> {
        private final String name;
        private final int slow;
        private final CountDownLatch done;
        private Flow.Subscription subscription;
        private int count;

        Reader(String name, int slow, CountDownLatch done) {
            this.name = name;
            this.slow = slow;
            this.done = done;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(3);
        }

        @Override
        public void onNext(Integer item) {
            count += Main.work(item * slow) & 1;
            GOT.add(name + item);
            if (item % 2 == 0) {
                subscription.request(2);
            }
        }

        @Override
        public void onError(Throwable thrown) {
            System.out.println(name + " " + thrown);
            done.countDown();
        }

        @Override
        public void onComplete() {
            System.out.println(name + " has " + count + " in " + Main.me());
            done.countDown();
        }
    }

    /** Hands on what it gets, twice as large. */
    static final class Doubling extends SubmissionPublisher<Integer> implements Flow.Processor<Integer, Integer> {
        private Flow.Subscription subscription;

        Doubling(ExecutorService executor) {
            super(executor, 4);
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(1);
        }

        @Override
        public void onNext(Integer item) {
            GOT.add("d" + item);
            submit(2 * item);
            subscription.request(1);
        }

        @Override
        public void onError(Throwable thrown) {
            closeExceptionally(thrown);
        }

        @Override
        public void onComplete() {
            close();
        }
    }

    private Publishers() {}

    private static void publish(ExecutorService executor, boolean drops) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(3);
        int dropped = 0;
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>(executor, 4)) {
            Doubling doubling = new Doubling(executor);
            doubling.subscribe(new Reader("c", 1, done));
            publisher.subscribe(new Reader("a", 1, done));
            publisher.subscribe(new Reader("b", 100, done));
            publisher.subscribe(doubling);
            for (int i = 1; i <= 30; i++) {
                int lag = drops ? publisher.offer(i, null) : publisher.submit(i);
                dropped += lag < 0 ? -lag : 0;
                GOT.add("p" + i + "/" + lag);
            }
        }
        done.await();
        System.out.println("got " + GOT + " dropped " + dropped);
        GOT.clear();
    }

    static void run() throws InterruptedException {
        publish(ForkJoinPool.commonPool(), false);
        publish(ForkJoinPool.commonPool(), true);
        ExecutorService executor = Executors.newFixedThreadPool(3);
        publish(executor, false);
        publish(executor, true);
        executor.shutdown();
    }
}
