import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

/** Four threads hand inside objects on to each other, a thousand times each. */
public class Main {
    public static void main(String[] args) throws Exception {
        List<SynchronousQueue<Token>> queues = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            queues.add(new SynchronousQueue<>());
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Station station = new Station(queues.get(i), queues.get((i + 1) % 4), i == 0);
            Thread thread = new Thread(station::run, "station-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(new Station(null, null, false).last());
    }
}

class Token {
    final int hops;

    Token(int hops) {
        this.hops = hops;
    }
}

class Station {
    private static volatile int last;
    private final SynchronousQueue<Token> in;
    private final SynchronousQueue<Token> out;
    private final boolean starts;

    Station(SynchronousQueue<Token> in, SynchronousQueue<Token> out, boolean starts) {
        this.in = in;
        this.out = out;
        this.starts = starts;
    }

    void run() {
        try {
            if (starts) {
                out.put(new Token(0));
            }
            for (int i = 0; i < 1000; i++) {
                Token token = in.take();
                last = token.hops;
                if (i < 999 || !starts) {
                    out.put(new Token(token.hops + 1));
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    int last() {
        return last;
    }
}
