package reprise.scheduler;

import java.util.Random;

/** Which of the threads that could run goes on. */
abstract class Strategy {
    final Random random;

    Strategy(long seed) {
        random = new Random(mixed(seed));
    }

    /** The first numbers that Random draws are nearly the same for seeds that are near. */
    private static long mixed(long seed) {
        long mixed = seed + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    /** The strategy of that name: random, pos, pct:D or rr:N. */
    static Strategy of(String name, long seed, long steps) {
        String[] parts = name.split(":");
        int number = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
        switch (parts[0]) {
            case "pct":
                return new Pct(seed, Math.max(1, number), steps);
            case "pos":
                return new Pos(seed);
            case "rr":
                return new RoundRobin(seed, Math.max(1, number));
            default:
                return new Walk(seed);
        }
    }

    /** At a place where the thread, one of the first {@code count}, may be stopped. Null for nobody. */
    abstract Turn at(Turn me, Turn[] ready, int count);

    /** When the thread cannot go on, or sleeps. */
    Turn instead(Turn me, Turn[] ready, int count) {
        return ready[random.nextInt(count)];
    }

    /** Which of the threads that wait is notified. */
    Turn notified(Turn[] waiting, int count) {
        return waiting[random.nextInt(count)];
    }

    /** Whether it is asked even where only one thread could go on. */
    boolean asksAlways() {
        return false;
    }

    /** The thread has come to a place where it cannot be stopped. */
    void unstoppable(Turn me) {}

    /** The thread has entered a monitor, or a call has returned that may block. */
    void acquired(Turn me) {}

    /** The program has failed. */
    void failed() {}

    /** The program has ended. */
    void ended() {}

    /** There are threads that could run, and it has chosen none of them. Ends the program. */
    IllegalStateException stuck(Turn me, Turn[] ready, int count) {
        return Ending.end(me, "deadlock", "");
    }

    /** Whether an event is to be written down although the thread goes on. */
    boolean marks() {
        return false;
    }

    /** An event has been written down. */
    void happened() {}

    /** The thread offers its turn. */
    void yields(Turn me) {}

    /** At every place any of the threads that could. */
    private static final class Walk extends Strategy {
        Walk(long seed) {
            super(seed);
        }

        @Override
        Turn at(Turn me, Turn[] ready, int count) {
            return ready[random.nextInt(count)];
        }
    }

    /** The thread of the highest priority; it loses that at a few random places. */
    private static final class Pct extends Strategy {
        /** A thread that comes to so many places alone probably waits in a loop. */
        private static final int PATIENCE = 20_000;
        private final long[] changes;
        private long step;
        private long lowest;
        private int alone;
        private Turn last;

        Pct(long seed, int depth, long steps) {
            super(seed);
            changes = new long[depth - 1];
            for (int at = 0; at < changes.length; at++) {
                changes[at] = 1 + (long) (random.nextDouble() * Math.max(1, steps));
            }
        }

        @Override
        Turn at(Turn me, Turn[] ready, int count) {
            step++;
            for (long change : changes) {
                if (change == step) {
                    me.priority = --lowest;
                }
            }
            alone = me == last ? alone + 1 : 0;
            last = me;
            if (alone > PATIENCE) {
                alone = 0;
                me.priority = --lowest;
            }
            return instead(me, ready, count);
        }

        @Override
        Turn instead(Turn me, Turn[] ready, int count) {
            Turn best = null;
            for (int at = 0; at < count; at++) {
                Turn turn = ready[at];
                if (turn.priority == 0) {
                    turn.priority = 1 + (random.nextLong() >>> 2);
                }
                if (best == null || turn.priority > best.priority) {
                    best = turn;
                }
            }
            return best;
        }

        @Override
        void yields(Turn me) {
            me.priority = --lowest;
        }
    }

    /**
     * What a thread does next has a priority, and the highest is done first. What then
     * meets what has been done, at the same field or the like, gets a new one: so each
     * order of things that matter has its chance, however long the threads are (partial
     * order sampling).
     */
    private static final class Pos extends Strategy {
        Pos(long seed) {
            super(seed);
        }

        @Override
        Turn at(Turn me, Turn[] ready, int count) {
            me.priority = draw();
            return best(ready, count);
        }

        @Override
        Turn instead(Turn me, Turn[] ready, int count) {
            return best(ready, count);
        }

        private Turn best(Turn[] ready, int count) {
            Turn best = null;
            for (int at = 0; at < count; at++) {
                Turn turn = ready[at];
                if (turn.priority == 0) {
                    turn.priority = draw();
                }
                if (best == null || turn.priority > best.priority) {
                    best = turn;
                }
            }
            for (int at = 0; at < count; at++) {
                Turn other = ready[at];
                if (other != best && Meeting.meet(best.site, other.site)) {
                    other.priority = draw();
                }
            }
            return best;
        }

        private long draw() {
            return 1 + (random.nextLong() >>> 2);
        }

        @Override
        void yields(Turn me) {
            me.priority = 1;
        }
    }

    /** One after the other, each as long as it takes to come to so many places. */
    private static final class RoundRobin extends Strategy {
        private final int length;
        private int left;

        RoundRobin(long seed, int length) {
            super(seed);
            this.length = length;
            left = length;
        }

        @Override
        Turn at(Turn me, Turn[] ready, int count) {
            if (--left > 0) {
                return me;
            }
            left = length;
            for (int at = 0; at < count; at++) {
                if (ready[at].number > me.number) {
                    return ready[at];
                }
            }
            return ready[0];
        }
    }
}
