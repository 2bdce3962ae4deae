package reprise.player;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import jdk.internal.module.Modules;

/** One recording that is being played. */
final class Replay {
    // The parts of a script, as jvm/player/src/script.rs writes them.
    private static final int END = 0;
    private static final int CLASS = 1;
    private static final int METHOD = 2;
    private static final int SITE = 3;
    private static final int RECORDED_SITE = 4;
    private static final int CONSTANT = 5;
    private static final int THREAD = 6;
    private static final int EVENT = 7;
    private static final int BEGIN = 8;
    private static final int EXPORTED = 9;
    private static final int EARLY = 10;
    private static final int BATCH = 512;
    private static final long STACK = 64L << 20;

    final Types types = new Types();
    final Constants constants = new Constants(this);
    final Objects objects = new Objects(this);
    final Placeholders placeholders = new Placeholders(this);
    final Handles handles = new Handles(this);
    final Offsets offsets = new Offsets(this);
    final Functions functions = new Functions();
    final Initialisers initialisers = new Initialisers(this);
    final Order order;
    final Map<Integer, Site> recorded = new HashMap<>();
    final Map<Integer, Method> methods = new HashMap<>();
    final Report report;
    final boolean oracle;
    final boolean keepGoing;
    final AtomicLong played = new AtomicLong();
    final AtomicLong diverged = new AtomicLong();
    private final AtomicLong troubles = new AtomicLong();
    /** The sites of the classes that are played, by number. */
    private Site[] sites = new Site[0];
    private final List<Player> players = new ArrayList<>();

    Replay(DataInputStream in, Report report) throws IOException {
        this.report = report;
        oracle = in.readBoolean();
        keepGoing = in.readBoolean();
        order = new Order(oracle);
    }

    /** What the program could use of the JDK, its inside can use here; another JDK may not have it. */
    private static void export(String module, String packageName) {
        ModuleLayer.boot().findModule(module)
            .filter(found -> found.getPackages().contains(packageName))
            .ifPresent(found -> Modules.addExportsToAllUnnamed(found, packageName));
    }

    /** Reads it and plays it, to the end or to the first divergence. */
    void run(DataInputStream in) throws IOException, InterruptedException {
        List<Event> batch = new ArrayList<>(BATCH);
        boolean started = false;
        for (int part = in.readUnsignedByte(); part != END; part = in.readUnsignedByte()) {
            switch (part) {
                case CLASS: types.add(new Type(in)); break;
                case METHOD: { Method method = new Method(in); methods.put(method.id, method); break; }
                case SITE: addSite(new Site(in)); break;
                case RECORDED_SITE: { Site site = new Site(in); recorded.put(site.id, site); break; }
                case CONSTANT: constants.read(in); break;
                case THREAD: players.add(new Player(this, in.readInt(), in.readUTF(), STACK)); break;
                case EXPORTED: export(in.readUTF(), in.readUTF()); break;
                case BEGIN: initialisers.add(in.readInt(), in.readInt()); break;
                case EARLY: initialisers.addEarly(in.readInt(), in.readInt(), in.readLong()); break;
                case EVENT:
                    if (!started) {
                        started = true;
                        players.forEach(Thread::start);
                    }
                    batch.add(new Event(in));
                    if (batch.size() >= BATCH) {
                        order.add(batch);
                        batch.clear();
                    }
                    break;
                default: throw new IOException("a part " + part);
            }
        }
        if (!started) {
            players.forEach(Thread::start);
        }
        order.add(batch);
        order.complete();
        for (Player player : players) {
            player.await();
        }
        if (troubles.get() == 0) {
            report.done(played.get(), diverged.get());
        }
    }

    List<Player> players() {
        return players;
    }

    private void addSite(Site site) {
        if (site.id >= sites.length) {
            sites = java.util.Arrays.copyOf(sites, Math.max(site.id + 1, sites.length * 2));
        }
        sites[site.id] = site;
    }

    Site site(int id) {
        return sites[id];
    }

    Site recorded(int id) {
        Site site = recorded.get(id);
        if (site == null) {
            throw new Unplayable("there is no site " + id);
        }
        return site;
    }

    /** Says what cannot be played, once, and stops. */
    void unplayable(int thread, long number, String why) {
        // What goes wrong because another thread has come to an end says nothing.
        if (!order.isStopped() && troubles.getAndIncrement() == 0) {
            report.unplayable(thread, number, why);
        }
        order.stop();
    }

    /** Says what differs; stops unless told to keep going. */
    void diverged(int thread, long number, String where, int line, Fact expected, Fact actual) {
        synchronized (report) {
            if (order.isStopped()) {
                throw new End();
            }
            diverged.incrementAndGet();
            report.diverged(thread, number, where, line, expected, actual);
            if (!keepGoing) {
                order.stop();
                throw new End();
            }
        }
    }
}
