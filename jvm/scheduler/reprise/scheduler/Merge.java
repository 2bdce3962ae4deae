package reprise.scheduler;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets threads access what they share in the order of given vectors: for each element the
 * threads, one after the other. A thread that comes to an element whose vector names another
 * one stops there. Where nobody can go on, the vectors do not go together, and the run ends.
 *
 * What needs no turn in a vector runs as it likes: elements that have none, those whose
 * vector is over, and everything once the program has failed. Usually who runs goes on; with
 * an order of its own, chance lets others run instead now and then.
 *
 * What a thread does follows from what it has accessed so far, and from what those had
 * accessed who were there before it: of each thread and each element it is known which
 * elements have had to do with it. So it can be told which vectors do not go together.
 */
final class Merge extends Strategy {
    /** What is done at a place; see {@code reprise_elements::Deed}. */
    private static final int ACCESS = 0;
    private static final int METHOD = 2;
    private static final int WAIT = 4;
    private static final int ACQUIRE = 5;

    /** A thread that comes to so many places alone probably waits in a loop. */
    private static final int PATIENCE = 20_000;
    /** One that offers its turn more probably so: that counts as so many places. */
    private static final int OFFER = 1000;

    /** After so many places without a turn in any vector, threads probably wait for ever. */
    private static final int SPINS = 200_000;
    /** Who waits and goes on when its time is over takes as long as so many places. */
    private static final int WAITS = 50;
    /** Of so many vectors that are not over it is told at most. */
    private static final int TOLD = 8;

    /** The threads that access an element. */
    private static final class Vector {
        final String[] threads;
        final long[] counts;
        int at;

        Vector(String[] threads, long[] counts) {
            this.threads = threads;
            this.counts = counts;
        }

        /** Who is next; null when it is over. */
        String next() {
            return at < threads.length ? threads[at] : null;
        }

        void take(String thread) {
            // Out of turn only where nobody could be stopped.
            for (int found = at; found < threads.length; found++) {
                if (threads[found].equals(thread) && counts[found] > 0) {
                    counts[found]--;
                    break;
                }
            }
            while (at < threads.length && counts[at] == 0) {
                at++;
            }
        }
    }

    private final Ahead ahead = new Ahead();
    private Vector[] vectors = new Vector[64];
    /** By place: what it accesses, above three bits for how, and 1 more; -1 for nothing, 0 for not asked. */
    private int[] known = new int[1024];
    /** By element, and by number of a thread: what has had to do with it. */
    private BitSet[] ofElements = new BitSet[64];
    private BitSet[] ofThreads = new BitSet[16];
    /** In how many of 8 choices chance has its way; 0 for never. */
    private int chance;
    private boolean failed;
    private int alone;
    private int idle;
    private Turn last;

    private Merge(long order) {
        super(order);
        // Some orders change much, others little.
        chance = order == 0 ? 0 : 1 << order % 3;
    }

    /**
     * The vectors in a file: lines of the form {@code vector ELEMENT THREAD:COUNT …}, and in
     * which order all else runs, {@code order NUMBER}.
     */
    static Merge read(String path) throws IOException {
        Merge merge = new Merge(0);
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("vector\t")) {
                    merge.add(line.split("\t", -1));
                } else if (line.startsWith("ahead\t")) {
                    merge.ahead.add(line.split("\t"));
                } else if (line.startsWith("order\t")) {
                    merge = new Merge(Long.parseLong(line.substring(6)));
                }
            }
        }
        return merge;
    }

    private void add(String[] words) {
        int element = Integer.parseInt(words[1]);
        if (element >= vectors.length) {
            vectors = Arrays.copyOf(vectors, Math.max(element + 1, 2 * vectors.length));
        }
        String[] stretches = words[2].isEmpty() ? new String[0] : words[2].split(" ");
        long[] counts = new long[stretches.length];
        for (int at = 0; at < counts.length; at++) {
            int colon = stretches[at].indexOf(':');
            counts[at] = Long.parseLong(stretches[at].substring(colon + 1));
            stretches[at] = stretches[at].substring(0, colon).intern();
        }
        vectors[element] = new Vector(stretches, counts);
    }

    /** What is accessed at a place that has a vector, and how; negative for nothing. */
    private int accessed(int site) {
        int found = found(site);
        return found < 0 || vector(found >> 3) == null ? -1 : found;
    }

    /** The same, with or without a vector. */
    private int found(int site) {
        if (site < 0) {
            return -1;
        }
        if (site >= known.length) {
            known = Arrays.copyOf(known, Math.max(site + 1, 2 * known.length));
        }
        if (known[site] == 0) {
            int found = Native.element(site);
            known[site] = found < 0 ? -1 : found + 1;
        }
        return known[site] < 0 ? -1 : known[site] - 1;
    }

    /** A thread accesses an element: from now on each has had to do with the other. */
    private void meet(Turn me, int element) {
        if (element >= ofElements.length) {
            ofElements = Arrays.copyOf(ofElements, Math.max(element + 1, 2 * ofElements.length));
        }
        if (ofElements[element] == null) {
            ofElements[element] = new BitSet();
            ofElements[element].set(element);
        }
        BitSet mine = mine(me.number);
        mine.or(ofElements[element]);
        ofElements[element].or(mine);
    }

    private BitSet mine(int number) {
        if (number >= ofThreads.length) {
            ofThreads = Arrays.copyOf(ofThreads, Math.max(number + 1, 2 * ofThreads.length));
        }
        if (ofThreads[number] == null) {
            ofThreads[number] = new BitSet();
        }
        return ofThreads[number];
    }

    private void take(Turn me, int element) {
        idle = 0;
        vector(element).take(me.descent);
        meet(me, element);
    }

    private Vector vector(int element) {
        return element < vectors.length ? vectors[element] : null;
    }

    @Override
    boolean asksAlways() {
        return true;
    }

    @Override
    Turn at(Turn me, Turn[] ready, int count) {
        int accessed = accessed(me.site);
        if (accessed < 0) {
            int found = found(me.site);
            if (found >= 0) {
                meet(me, found >> 3);
            }
        }
        boolean stops = accessed >= 0 && (accessed & 7) != WAIT && (accessed & 7) != METHOD;
        me.gate = stops ? accessed >> 3 : -1;
        me.passes = stops && (accessed & 7) == ACCESS;
        alone = me == last ? alone + 1 : 0;
        last = me;
        if (++idle > SPINS && !closed(ready, count).isEmpty()) {
            throw end(me, "spins", closed(ready, count), null);
        }
        if (alone > PATIENCE) {
            alone = 0;
            Turn other = choose(null, me, ready, count);
            if (other != null) {
                return other;
            }
        }
        return choose(me, null, ready, count);
    }

    @Override
    Turn instead(Turn me, Turn[] ready, int count) {
        idle += WAITS;
        if (me.state == Turn.WAITING && me.marked) {
            int accessed = accessed(me.site);
            if (accessed >= 0 && (accessed & 7) == WAIT) {
                me.gate = accessed >> 3;
                me.passes = false;
            }
        }
        return choose(me, null, ready, count);
    }

    @Override
    void unstoppable(Turn me) {
        int accessed = accessed(me.site);
        if (accessed >= 0 && (accessed & 7) == ACCESS) {
            take(me, accessed >> 3);
        }
    }

    @Override
    void acquired(Turn me) {
        if ((found(me.site) & 7) == ACQUIRE) {
            me.acquired = me.site;
        }
        if (me.gate >= 0 && !me.passes) {
            int gate = me.gate;
            me.gate = -1;
            take(me, gate);
        }
    }

    @Override
    void yields(Turn me) {
        alone += me == last ? OFFER : 0;
    }

    @Override
    void failed() {
        failed = true;
    }

    /** Who goes on: usually the first if it can, never the second; null if nobody can. */
    private Turn choose(Turn first, Turn never, Turn[] ready, int count) {
        boolean changes = chance > 0 && !failed && random.nextInt(8) < chance;
        Turn found = choose(first, never, ready, count, changes, false);
        found = found == null ? choose(first, never, ready, count, changes, true) : found;
        if (found != null && found.gate >= 0 && found.passes) {
            take(found, found.gate);
            found.gate = -1;
        }
        return found;
    }

    /** The same, of those who should let others go first, or of the others. */
    private Turn choose(Turn first, Turn never, Turn[] ready, int count, boolean changes, boolean early) {
        Turn found = null;
        int open = 0;
        for (int at = 0; at < count; at++) {
            Turn turn = ready[at];
            if (turn != never && isOpen(turn) && isEarly(turn) == early) {
                open++;
                boolean takes = changes ? random.nextInt(open) == 0 : turn == first;
                found = found == null || takes ? turn : found;
            }
        }
        return found;
    }

    /** Whether a thread probably comes to what it has no turn at, and keeps others from it. */
    private boolean isEarly(Turn turn) {
        if (turn.gate >= 0 || failed || idle > SPINS / 2) {
            return false;
        }
        BitSet elements = ahead.of(turn.site);
        for (int at = elements.nextSetBit(0); at >= 0; at = elements.nextSetBit(at + 1)) {
            String next = vector(at) == null ? null : vector(at).next();
            if (next != null && !next.equals(turn.descent)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOpen(Turn turn) {
        if (turn.gate < 0 || failed) {
            return true;
        }
        String next = vector(turn.gate).next();
        return next == null || next.equals(turn.descent);
    }

    /**
     * Nobody can go on. Follows who waits for whom: where that leads round in a circle, the
     * elements on it are those whose vectors do not go together, as long as the threads come
     * there; otherwise it is a thread that never comes. Behind a slash follows what has had
     * to do with these threads: with the same vectors of all of that, it is the same again.
     */
    @Override
    IllegalStateException stuck(Turn me, Turn[] ready, int count) {
        List<Turn> way = new ArrayList<>();
        Turn turn = ready[0];
        while (turn != null && !way.contains(turn)) {
            way.add(turn);
            turn = awaited(turn);
        }
        for (Turn on : way) {
            Turn owner = owner(on);
            if (owner != null && owner.gate >= 0) {
                boolean monitor = on.state == Turn.MONITOR;
                ahead.learn(monitor ? Owners.entered(on.on) : owner.acquired, owner.gate);
            }
        }
        if (turn != null) {
            return end(me, "circle", way.subList(way.indexOf(turn), way.size()), new BitSet());
        }
        Turn first = way.get(way.size() - 1);
        return end(me, "end", way, behind(first.gate < 0 ? null : vector(first.gate).next()));
    }

    /** Says where threads wait, and what has had to do with them and with what they wait for. */
    private IllegalStateException end(Turn me, String how, List<Turn> waiting, BitSet because) {
        StringBuilder text = new StringBuilder(how);
        BitSet all = because == null ? behind(null) : (BitSet) because.clone();
        for (Turn on : waiting) {
            all.or(mine(on.number));
            if (on.gate >= 0) {
                text.append(' ').append(on.gate);
            }
        }
        text.append(" /");
        all.stream().forEach(element -> text.append(' ').append(element));
        return Ending.end(me, "clash", text.toString());
    }

    /** Those who could go on, if it were their turn. */
    private List<Turn> closed(Turn[] ready, int count) {
        List<Turn> closed = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            if (!isOpen(ready[at])) {
                closed.add(ready[at]);
            }
        }
        return closed;
    }

    /** Says which vectors are not over, and what has had to do with that. */
    @Override
    void ended() {
        int told = 0;
        for (int element = 0; element < vectors.length && told < TOLD && !failed; element++) {
            String next = vector(element) == null ? null : vector(element).next();
            if (next != null) {
                StringBuilder text = new StringBuilder().append(element).append(" /");
                behind(next).stream().forEach(other -> text.append(' ').append(other));
                Ending.report("unmet", text.toString());
                told++;
            }
        }
    }

    /** What has had to do with why a thread does not come. */
    private BitSet behind(String name) {
        // Who was never started has to do with who should have done that.
        for (; name != null; name = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : null) {
            for (int number = 0; number < Engine.count(); number++) {
                Turn other = Engine.turn(number);
                if (other.descent.equals(name) && other.state == Turn.DEAD) {
                    return mine(number);
                }
            }
        }
        // It waits for something that others do.
        BitSet all = new BitSet();
        for (int number = 0; number < Engine.count(); number++) {
            all.or(mine(number));
        }
        return all;
    }

    /** The thread that has the monitor or lock which a thread waits for; null if there is none. */
    private static Turn owner(Turn turn) {
        Turn owner = null;
        if (turn.state == Turn.MONITOR && turn.on != null) {
            owner = Owners.of(turn.on);
        } else if (turn.state == Turn.PARKED) {
            Thread thread = Synchronised.owner(LockSupport.getBlocker(turn.thread));
            owner = thread == null ? null : Engine.of(thread);
        }
        return owner == turn ? null : owner;
    }

    /** The thread that a thread waits for; null if it is not there, or not known. */
    private Turn awaited(Turn turn) {
        Turn owner = owner(turn);
        if (owner != null) {
            return owner;
        }
        if (turn.gate < 0) {
            return null;
        }
        String next = vector(turn.gate).next();
        for (int number = 0; number < Engine.count(); number++) {
            Turn other = Engine.turn(number);
            if (other.descent.equals(next) && other.state != Turn.DEAD) {
                return other == turn ? null : other;
            }
        }
        return null;
    }
}
