import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Two threads inside, one of them an inside subclass of Thread, with objects that change hands. */
public class Main {
    public static void main(String[] args) throws Exception {
        BlockingQueue<Job> queue = new ArrayBlockingQueue<>(1);
        Worker worker = new Worker(queue);
        worker.start();
        Job job = new Job(20);
        queue.put(job);
        worker.join();
        System.out.println(worker.getName() + " " + job.result());
    }
}

class Job {
    private int value;

    Job(int value) {
        this.value = value;
    }

    synchronized void run() {
        value = value * 2 + 2;
    }

    synchronized int result() {
        return value;
    }
}

class Worker extends Thread {
    private final BlockingQueue<Job> queue;

    Worker(BlockingQueue<Job> queue) {
        super("worker");
        this.queue = queue;
    }

    @Override
    public void run() {
        try {
            queue.take().run();
        } catch (InterruptedException e) {
            interrupt();
        }
    }
}
