// What threads do through the JDK as libraries use it: a map calls the program back while it has
// a monitor of its own, pools and timers go by the time, their threads begin in code of the
// program, selectors find several channels at once, and a daemon is never done. The order of
// the marks is another one in almost every run.

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class Main {
    interface Body {
        void run(int number) throws Exception;
    }

    private static final StringBuffer MARKS = new StringBuffer();
    private static final int ENOUGH = 1000;
    static volatile long turns;
    static long computed;

    static void together(int threads, Body body) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int number = 0; number < threads; number++) {
            int own = number;
            all.add(new Thread(() -> {
                try {
                    body.run(own);
                } catch (Exception wrong) {
                    MARKS.append(wrong);
                }
            }));
        }
        for (Thread thread : all) {
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    static void mark(Object what) {
        MARKS.append(what);
    }

    static void print(String what) {
        System.out.println(what + " " + MARKS);
        MARKS.setLength(0);
    }

    /** Two threads often want the same key, and one of them has it while it calls back. */
    private static void maps() throws Exception {
        ConcurrentHashMap<Integer, String> map = new ConcurrentHashMap<>();
        AtomicInteger calls = new AtomicInteger();
        together(3, number -> {
            for (int i = 0; i < 40; i++) {
                map.compute(i % 2, (key, text) -> {
                    int call = calls.incrementAndGet();
                    for (int j = 0; j < 300; j++) {
                        turns++;
                    }
                    MARKS.append(number);
                    return (text == null ? "" : text) + call % 10;
                });
            }
        });
        print("maps " + map.get(0).hashCode() + " " + map.get(1).hashCode());
    }

    /** Two periods at once, in threads that begin in a method of this class. */
    private static void pools() throws Exception {
        CountDownLatch done = new CountDownLatch(20);
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2,
                pooled -> new Thread(() -> {
                    MARKS.append('<');
                    pooled.run();
                    MARKS.append('>');
                }));
        for (String name : new String[] {"a", "b"}) {
            AtomicInteger left = new AtomicInteger(10);
            pool.scheduleAtFixedRate(() -> {
                if (left.decrementAndGet() >= 0) {
                    MARKS.append(name);
                    done.countDown();
                }
            }, 1, 1, TimeUnit.MILLISECONDS);
        }
        done.await();
        pool.shutdownNow();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        print("pools");
    }

    private static void timers() throws Exception {
        CountDownLatch done = new CountDownLatch(5);
        Timer timer = new Timer();
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                MARKS.append('t');
                done.countDown();
            }
        }, 1, 1);
        done.await();
        timer.cancel();
        print("timers");
    }

    /** Clients write to one selector, which says in an order of its own who has. */
    private static void selectors() throws Exception {
        int clients = 3;
        try (ServerSocketChannel server = ServerSocketChannel.open(); Selector selector = Selector.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<SocketChannel> all = new ArrayList<>();
            for (int number = 0; number < clients; number++) {
                all.add(SocketChannel.open(server.getLocalAddress()));
                SocketChannel accepted = server.accept();
                accepted.configureBlocking(false);
                accepted.register(selector, SelectionKey.OP_READ, number);
            }
            Thread reader = new Thread(() -> {
                try {
                    for (int left = clients * 10; left > 0;) {
                        selector.select();
                        for (SelectionKey key : selector.selectedKeys()) {
                            int count = ((SocketChannel) key.channel()).read(ByteBuffer.allocate(4));
                            left -= count;
                            MARKS.append(key.attachment()).append(":").append(count).append(' ');
                        }
                        selector.selectedKeys().clear();
                    }
                } catch (Exception wrong) {
                    MARKS.append(wrong);
                }
            });
            reader.start();
            together(clients, number -> {
                for (int i = 0; i < 10; i++) {
                    all.get(number).write(ByteBuffer.wrap(new byte[1]));
                }
            });
            reader.join();
            for (SocketChannel client : all) {
                client.close();
            }
        }
        print("selectors");
    }

    /**
     * Counts, and is far from the next place where a schedule could stop it when the program ends
     * because of that.
     */
    private static Thread daemon() {
        Thread daemon = new Thread(() -> {
            while (true) {
                long next = turns + 1;
                turns = next;
                if (next == ENOUGH) {
                    for (int i = 0; i < 20_000_000; i++) {
                        computed = 31 * computed + i;
                    }
                }
            }
        });
        daemon.setDaemon(true);
        return daemon;
    }

    public static void main(String[] arguments) throws Exception {
        Thread daemon = daemon();
        maps();
        pools();
        timers();
        selectors();
        Within.growing();
        Within.clients();
        Within.iterators();
        Within.cells();
        Within.monitors();
        turns = 0;
        daemon.start();
        while (turns < ENOUGH) {
            Thread.onSpinWait();
        }
        print("daemons");
    }
}
