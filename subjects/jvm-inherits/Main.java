import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Inside subclasses of the JDK's classes: inherited fields and methods, super calls, callbacks. */
public class Main {
    public static void main(String[] args) throws Exception {
        Worker worker = new Worker("pool-7");
        worker.start();
        worker.join();
        System.out.println(worker.done + worker.getName() + worker.isAlive());
        Numbers numbers = new Numbers();
        numbers.add(4);
        numbers.addAll(List.of(9, 16));
        System.out.println(numbers + " " + numbers.indexOf(16) + numbers.hashCode() + numbers.subList(1, 3));
        System.out.println(numbers.changes() + " " + numbers.breaks() + numbers.walk());
        Oldest oldest = new Oldest(2);
        for (String key : new String[] {"a", "b", "a", "c"}) {
            oldest.put(key, key.hashCode());
        }
        System.out.println(oldest + " " + oldest.removed + oldest.largest());
        try {
            Trouble.make(3);
        } catch (Trouble e) {
            System.out.println(e + " " + e.getCause() + e.getStackTrace()[0] + e.getSuppressed().length);
        }
        byte[] buffer = new byte[6];
        System.out.println(new Source(4).read(buffer) + " " + buffer[3] + new Source(3).readNBytes(2).length + new Source(9).skip(2));
        System.out.println(new Row("x", 1).get("x") + new Row("y", 2).toString());
        System.out.println(new BufferedReader(new Upper(new StringReader("shout\nlow"))).readLine());
        ThreadLocal<Integer> local = Source.LOCAL;
        System.out.println(local.get());
    }
}

class Worker extends Thread {
    volatile int done;

    Worker(String name) {
        super(name.toUpperCase(java.util.Locale.ROOT));
        setDaemon(true);
        setPriority(Thread.NORM_PRIORITY);
    }

    @Override
    public void run() {
        done = getName().length() + (Thread.currentThread() == this ? 10 : 0) + (isDaemon() ? 100 : 0);
        super.run();
    }
}

class Numbers extends AbstractList<Integer> {
    private int[] cells = new int[1];
    private int size;

    @Override
    public Integer get(int index) {
        return cells[java.util.Objects.checkIndex(index, size)];
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public void add(int index, Integer value) {
        if (index != size) {
            super.add(index, value);
        }
        if (size == cells.length) {
            cells = java.util.Arrays.copyOf(cells, size * 2);
        }
        cells[size++] = value;
        modCount++;
    }

    @Override
    public int hashCode() {
        return super.hashCode() % 97;
    }

    @Override
    public boolean equals(Object other) {
        return other == this || super.equals(other);
    }

    int changes() {
        return modCount + this.modCount + super.modCount;
    }

    boolean breaks() {
        try {
            for (int number : this) {
                add(number);
            }
            return false;
        } catch (ConcurrentModificationException e) {
            return equals(new ArrayList<>(this));
        }
    }

    int walk() {
        Iterator<Integer> all = iterator();
        int sum = 0;
        while (all.hasNext()) {
            sum += all.next();
        }
        try {
            add(0, 1);
        } catch (UnsupportedOperationException e) {
            sum = -sum;
        }
        return sum;
    }
}

class Oldest extends LinkedHashMap<String, Integer> {
    private final int limit;
    int removed;

    Oldest(int limit) {
        super(16, 0.75f, true);
        this.limit = limit;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
        boolean remove = size() > limit;
        removed += remove ? eldest.getValue() : 0;
        return remove;
    }

    int largest() {
        int largest = 0;
        for (Map.Entry<String, Integer> entry : entrySet()) {
            largest = Math.max(largest, entry.getValue());
        }
        return largest + getOrDefault("nothing", 1000);
    }
}

class Trouble extends RuntimeException {
    private final int depth;

    private Trouble(int depth, Throwable cause) {
        super("trouble", cause);
        this.depth = depth;
    }

    static void make(int depth) {
        if (depth == 0) {
            throw new Trouble(0, null);
        }
        try {
            make(depth - 1);
        } catch (Trouble inner) {
            Trouble outer = new Trouble(depth, inner);
            outer.addSuppressed(inner);
            throw outer;
        }
    }

    @Override
    public String getMessage() {
        return super.getMessage() + depth + (getCause() == null ? "" : "<" + getCause().getMessage() + ">");
    }
}

class Source extends InputStream {
    static final ThreadLocal<Integer> LOCAL = new ThreadLocal<Integer>() {
        @Override
        protected Integer initialValue() {
            return 5;
        }
    };
    private int left;

    Source(int left) {
        this.left = left;
    }

    @Override
    public int read() {
        return left == 0 ? -1 : left--;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        int count = super.read(buffer, from, length);
        if (count > 0) {
            buffer[from] += 100;
        }
        return count;
    }
}

class Row extends AbstractMap<String, Integer> {
    private final Set<Map.Entry<String, Integer>> entries;

    Row(String key, int value) {
        entries = Set.of(new SimpleEntry<>(key, value));
    }

    @Override
    public Set<Map.Entry<String, Integer>> entrySet() {
        return entries;
    }
}

class Upper extends FilterReader {
    Upper(Reader in) {
        super(in);
    }

    @Override
    public int read(char[] buffer, int from, int length) throws IOException {
        int count = in.read(buffer, from, length);
        for (int i = from; i < from + count; i++) {
            buffer[i] = Character.toUpperCase(buffer[i]);
        }
        return count;
    }
}
