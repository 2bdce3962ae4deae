// Tasks wait for tasks of the same pool, and all its threads wait. Deadlock.

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class TasksWait {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            results.add(pool.submit(() -> pool.submit(() -> 1).get()));
        }
        for (Future<Integer> result : results) {
            result.get();
        }
        pool.shutdown();
    }
}
