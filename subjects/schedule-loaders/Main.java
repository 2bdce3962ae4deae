// A class loader of the program, which the JVM asks for a class when a thread is the first to need it.
// Threads that need the same class at the same time are asked in its place or not, by chance: what
// they have in common is only that the class is there afterwards.

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

public class Main {
    public static final CyclicBarrier TOGETHER = new CyclicBarrier(3);
    private static final StringBuffer ORDER = new StringBuffer();

    /** Has classes of its own, and counts how often it is asked. */
    private static final class Loader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final AtomicInteger asked = new AtomicInteger();
        private volatile String last;

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.incrementAndGet();
            if (!name.startsWith("Work") && !name.startsWith("Part")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            last = name;
            if (name.equals("WorkAlone")) {
                LockSupport.unpark(Thread.currentThread());
            }
            try (InputStream in = Main.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(last, unreadable);
            }
        }
    }

    public static void says(int part) {
        ORDER.append(Thread.currentThread().getName()).append(part).append(' ');
    }

    public static void main(String[] arguments) throws Exception {
        ClassLoader loader = new Loader();
        // What was told while a class was loaded is not forgotten then.
        System.out.println(loader.loadClass("WorkAlone").getName());
        LockSupport.park();
        Class<?> work = loader.loadClass("Work");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Runnable run = (Runnable) work.getConstructor().newInstance();
            threads.add(new Thread(run, "" + (char) ('a' + i)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(ORDER);
    }
}
