package reprise.player;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Where one thread has to wait for others although nothing crosses the
 * boundary: at monitors and volatile fields of the inside.
 *
 * Every thread counts its entrances and uses, as the recorder did. An ORDER says
 * which of them has to wait, and until another thread has had how many. Nothing
 * is held while inside code runs.
 */
final class Turns {
    private final Player player;
    private final Order order;
    /** The event that comes next; null when that is not known. */
    private Event next;
    /** How many this thread has had. Others wait for it. */
    volatile long had;
    /** The number of the last one that had to wait. */
    private long followed;

    /** Who waits for it. */
    private final ConcurrentLinkedQueue<Follower> followers = new ConcurrentLinkedQueue<>();

    /** A thread that waits until this one has had so many. */
    static final class Follower {
        final Thread thread;
        final long count;

        Follower(Thread thread, long count) {
            this.thread = thread;
            this.count = count;
        }
    }

    Turns(Player player) {
        this.player = player;
        this.order = player.replay.order;
    }

    /** An event was taken. */
    void took(Event event) {
        next = null;
        if (event.what == Event.ORDER) {
            followed += event.values[0].bits;
        }
    }

    /** Whether an event says only where the thread itself was by then, and it is there. */
    boolean isPast(Event event) {
        return event.what == Event.ORDER && event.id == player.id
            && followed + event.values[0].bits <= had;
    }

    /** Waits for whoever was there before. */
    void shares() {
        if (next == null || order.isOver || isPast(next)) {
            player.runsInside = false;
            next = player.ahead();
            player.runsInside = true;
        }
        if (next != null && next.what == Event.ORDER && followed + next.values[0].bits == had) {
            player.runsInside = false;
            order.rests();
            follow(player.take(null), null);
        }
    }

    /** The same before a monitor, which others may hold: until then, inside code does not run. */
    void enters(Object monitor) {
        shares();
        player.enters = monitor;
        player.runsInside = false;
        order.rests();
    }

    /** Waits as an ORDER says; gives up a monitor meanwhile, if there is one. */
    void follow(Event event, Object monitor) {
        order.follow(player.id, event.id, event.values[1].bits, monitor);
        player.contents.fillAll(event);
        player.runsInside = monitor == null;
        order.done(player.id);
    }

    void shared() {
        player.runsInside = true;
        player.enters = null;
        had++;
        if (!followers.isEmpty()) {
            for (Follower follower : followers) {
                if (follower.count <= had) {
                    LockSupport.unpark(follower.thread);
                }
            }
        }
    }

    /** Another thread, this one, wants to be woken. */
    Follower follower(long count) {
        Follower follower = new Follower(Thread.currentThread(), count);
        followers.add(follower);
        return follower;
    }

    void left(Follower follower) {
        followers.remove(follower);
    }
}
