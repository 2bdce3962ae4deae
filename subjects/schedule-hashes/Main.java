// What goes by identity hashes and by what the JDK draws for itself, and is therefore in
// another order in every run: tables of objects that have no hash of their own, immutable
// sets, shuffled lists, names with a hash in them, the clock, generated names; classes, whose
// hashes the JDK has asked for before the program does; and objects that are locked or waited in
// when they are first asked for theirs.

import java.lang.invoke.MethodType;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

public class Main {
    enum Colour { RED, GREEN, BLUE, YELLOW, BLACK }

    private static final class Named {
        final String name;

        Named(String name) {
            this.name = name;
        }
    }

    private static final Object LOCK = new Object();
    private static final Set<Named> ALL = Collections.newSetFromMap(new ConcurrentHashMap<>());

    private static String names(Iterable<Named> all) {
        StringBuilder text = new StringBuilder();
        for (Named named : all) {
            text.append(' ').append(named.name);
        }
        return text.toString();
    }

    private interface Early {}

    private interface Earlier {}

    private interface Earliest {}

    private static String classes() {
        Map<Class<?>, String> all = new HashMap<>();
        for (Class<?> type : new Class<?>[] {Early.class, Earlier.class, Earliest.class}) {
            MethodType.methodType(type, type);
            all.put(type, type.getSimpleName());
        }
        return all.values() + " " + Early.class.hashCode();
    }

    private static String work(int number) {
        StringBuilder text = new StringBuilder();
        Set<Named> hashed = new HashSet<>();
        Map<Named, Integer> identical = new IdentityHashMap<>();
        for (int i = 0; i < 12; i++) {
            Named named = new Named(number + "." + i);
            hashed.add(named);
            identical.put(named, i);
            identical.put(new Named("i" + i), i);
            synchronized (LOCK) {
                ALL.add(named);
            }
        }
        text.append(names(hashed)).append(" |").append(names(identical.keySet()));
        Map<Object, String> mixed = new HashMap<>();
        for (Colour colour : Colour.values()) {
            mixed.put(colour, colour.name());
        }
        text.append(" | ").append(mixed.values());
        text.append(" | ").append(Set.of("a", "b", "c", "d", "e").toString());
        List<Integer> list = new ArrayList<>(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8));
        synchronized (LOCK) {
            Collections.shuffle(list);
        }
        text.append(" | ").append(list).append(' ').append(new Named("x"));
        text.append(" | ").append(LocalDateTime.now()).append(' ').append(new Date().getTime());
        text.append(' ').append(UUID.randomUUID());
        return text.toString();
    }

    /** Each is asked for its hash while it is locked, once or twice, or when somebody has waited in it. */
    private static String locked() throws InterruptedException {
        Set<Named> locked = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            Named named = new Named("l" + i);
            synchronized (named) {
                synchronized (named) {
                    if (i % 3 == 1) {
                        named.wait(1);
                    }
                    if (i % 2 == 0) {
                        locked.add(named);
                    }
                }
            }
            locked.add(named);
        }
        return names(locked);
    }

    /** The same, while another thread has locked it. */
    private static String lockedByAnother() throws InterruptedException {
        Set<Named> locked = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            Named named = new Named("o" + i);
            CountDownLatch has = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            Thread owner = new Thread(() -> {
                synchronized (named) {
                    has.countDown();
                    while (asked.getCount() > 0) {
                        Thread.yield();
                    }
                }
            });
            owner.start();
            has.await();
            locked.add(named);
            asked.countDown();
            owner.join();
        }
        return names(locked);
    }

    public static void main(String[] arguments) throws Exception {
        String[] results = new String[3];
        Thread[] threads = new Thread[results.length];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> results[number] = work(number));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (String result : results) {
            System.out.println(result);
        }
        System.out.println(names(ALL));
        System.out.println(classes());
        System.out.println(locked());
        System.out.println(lockedByAnother());
    }
}
