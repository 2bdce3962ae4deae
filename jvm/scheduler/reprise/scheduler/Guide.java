package reprise.scheduler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets threads run as somebody wishes, as far as that is possible. Where it is not, it
 * does what comes nearest: a wish that cannot be fulfilled is passed over, and who runs
 * goes on until it has to stop. So every list of wishes is a run, which is what
 * minimising needs.
 *
 * Wishes are stretches (this thread, up to the place of that number that it comes to) or
 * a whole schedule, whose stretches are not known yet.
 */
final class Guide extends Strategy {
    /** A thread that comes to so many places alone probably waits in a loop. */
    private static final int PATIENCE = 20_000;

    /** A thread that runs for a while. */
    private static final class Stretch {
        /** The thread, by descent. */
        final String thread;
        /** It stops before this one of the places that it comes to. */
        final long end;

        Stretch(String thread, long end) {
            this.thread = thread;
            this.end = end;
        }
    }

    /** An event of a schedule, and who runs after it. */
    private static final class Wish {
        final Plan.Step event;
        String next;

        Wish(Plan.Step event) {
            this.event = event;
        }
    }

    private final List<Stretch> stretches = new ArrayList<>();
    private final List<Wish> wishes = new ArrayList<>();
    /** The next wish, or the stretch that is under way. */
    private int next;
    private int alone;
    private Turn last;
    private boolean yielded;

    private Guide(long seed) {
        super(seed);
    }

    /** The wishes in a file: a plan, and lines of the form {@code run THREAD END}. */
    static Guide read(String path, long seed) throws IOException {
        Guide guide = new Guide(seed);
        Plan plan = Plan.read(path);
        for (String[] run : plan.runs) {
            guide.stretches.add(new Stretch(run[1], Long.parseLong(run[2])));
        }
        Wish wish = null;
        for (Plan.Step step : plan.steps) {
            switch (step.what) {
                case EVENT:
                    wish = new Wish(step);
                    guide.wishes.add(wish);
                    break;
                case SWITCH:
                case DIE:
                    if (wish == null) {
                        // What comes before any event: the first thread gives way at once.
                        wish = new Wish(null);
                        guide.wishes.add(wish);
                    }
                    wish.next = step.text;
                    break;
                default:
            }
        }
        return guide;
    }

    @Override
    Turn at(Turn me, Turn[] ready, int count) {
        alone = me == last ? alone + 1 : 0;
        last = me;
        if (next < wishes.size()) {
            return isDue(me) ? wished(me, ready, count) : me;
        }
        if (next < stretches.size()) {
            Stretch stretch = stretches.get(next);
            if (stretch.thread.equals(me.descent) && me.steps < stretch.end) {
                return me;
            }
            if (stretch.thread.equals(me.descent)) {
                next++;
            }
            Turn found = stretch(ready, count);
            if (found != null) {
                return found;
            }
        }
        if (yielded || alone > PATIENCE) {
            yielded = false;
            alone = 0;
            return after(me, ready, count);
        }
        return me;
    }

    /** Whether the place that the thread has come to is that of the next wish. */
    private boolean isDue(Turn me) {
        Wish wish = wishes.get(next);
        if (wish.event == null) {
            return true;
        }
        return wish.next != null && !wish.event.in && wish.event.site >= 0
                && wish.event.site / 2 == me.site && wish.event.count == me.attempt;
    }

    /** Who is wished to go on, if that is one of those who can. */
    private Turn wished(Turn me, Turn[] ready, int count) {
        for (int at = next; at < wishes.size(); at++) {
            String name = wishes.get(at).next;
            if (name == null) {
                return me;
            }
            Turn found = find(name, ready, count);
            if (found == null) {
                return find(me.descent, ready, count) != null ? me : ready[0];
            }
            Wish following = at + 1 < wishes.size() ? wishes.get(at + 1) : null;
            boolean idle = following != null && following.event != null && !following.event.in
                    && following.event.site >= 0 && following.event.site / 2 == found.site
                    && following.event.count == 1 && found.state != Turn.NEW;
            if (!idle) {
                next = at;
                return found;
            }
            // It would give way again at the place where it stands.
        }
        return me;
    }

    /** The next stretch whose thread can run, which is then under way; null if there is none. */
    private Turn stretch(Turn[] ready, int count) {
        for (; next < stretches.size(); next++) {
            Stretch stretch = stretches.get(next);
            Turn found = find(stretch.thread, ready, count);
            if (found != null && found.steps < stretch.end) {
                return found;
            }
        }
        return null;
    }

    @Override
    Turn instead(Turn me, Turn[] ready, int count) {
        boolean could = find(me.descent, ready, count) != null;
        if (next < wishes.size()) {
            Plan.Step event = wishes.get(next).event;
            boolean isHere = event != null && event.in
                    && (event.site < 0 || event.site / 2 == me.site && event.count == me.attempt);
            return could && !isHere ? me : wished(me, ready, count);
        }
        if (next < stretches.size()) {
            Stretch stretch = stretches.get(next);
            if (stretch.thread.equals(me.descent)) {
                if (could && me.steps + 1 < stretch.end) {
                    return me;
                }
                next++;
            }
            Turn found = stretch(ready, count);
            if (found != null) {
                return found;
            }
        }
        return after(me, ready, count);
    }

    /** The thread that was created next, among those who can run. */
    private static Turn after(Turn me, Turn[] ready, int count) {
        for (int at = 0; at < count; at++) {
            if (ready[at].number > me.number) {
                return ready[at];
            }
        }
        return ready[0];
    }

    private static Turn find(String name, Turn[] ready, int count) {
        for (int at = 0; at < count; at++) {
            if (ready[at].descent.equals(name) || String.valueOf(ready[at].number).equals(name)) {
                return ready[at];
            }
        }
        return null;
    }

    @Override
    Turn notified(Turn[] waiting, int count) {
        // Who is wished to run first has probably been told first.
        for (int at = next; at < wishes.size(); at++) {
            String name = wishes.get(at).next;
            Turn found = name == null ? null : find(name, waiting, count);
            if (found != null) {
                return found;
            }
        }
        for (int at = next; at < stretches.size(); at++) {
            Turn found = find(stretches.get(at).thread, waiting, count);
            if (found != null) {
                return found;
            }
        }
        return waiting[0];
    }

    @Override
    void happened() {
        if (next < wishes.size()) {
            next++;
        }
    }

    @Override
    void yields(Turn me) {
        yielded = next >= stretches.size() && next >= wishes.size();
    }
}
