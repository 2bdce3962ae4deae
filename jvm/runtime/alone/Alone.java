package reprise.runtime;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The recorder of a jar that was instrumented ahead of time: there is no agent, so the runtime
 * itself makes the file, and a thread of it drains the rings. jvm/ahead/src/lib.rs says what that
 * leaves out.
 *
 * The rings are in this process's memory and not in a file, so that whatever was not drained yet
 * is lost when the process is killed; they are drained every few milliseconds.
 */
final class Alone {
    private static final int RINGS = 128;
    private static final long RING = 128 << 10;
    private static final int DEAD_AFTER_MS = 5000;
    private static final long REST_MS = 20;

    private static final int STATE = 128;
    private static final int ENDED = 1;

    private static final Object LOCK = new Object();
    private static Chunks file;
    private static Stream tables;
    private static Rings rings;
    private static long spool;
    private static boolean oracle;
    /** After how many events the recording ends, though the program goes on. */
    private static long most = Long.MAX_VALUE;
    /** Where the tables of the jar were found. */
    private static URL tablesAt;
    /** Who wants the recording to end makes this file. */
    private static File wish;

    private Alone() {}

    /** Begins to record, if a file is named: by a property, or by the environment. */
    static void start() {
        String out = System.getProperty("reprise.out", System.getenv("REPRISE_OUT"));
        if (out == null || out.isEmpty()) {
            return;
        }
        try {
            most = limit();
            begin(named(out));
        } catch (IOException | RuntimeException | LinkageError error) {
            synchronized (LOCK) {
                file = null;
            }
            System.err.println("reprise: cannot record into " + out + ": " + reason(error)
                + "; this JVM runs unrecorded");
        }
    }

    private static String reason(Throwable error) {
        return error instanceof java.nio.file.FileAlreadyExistsException
            ? "it exists, and a recording is never written over"
            : error.getMessage() == null || error instanceof java.nio.file.FileSystemException
                ? error.toString() : error.getMessage();
    }

    private static long limit() {
        String text = System.getProperty("reprise.max-events");
        try {
            return text == null ? Long.MAX_VALUE : Long.parseUnsignedLong(text);
        } catch (NumberFormatException none) {
            throw new IllegalArgumentException("reprise.max-events is '" + text + "', and no number");
        }
    }

    private static void begin(String out) throws IOException {
        ClassLoader loader = readTables();
        wish = new File(out + ".stop");
        oracle = Tables.oracle && !Boolean.getBoolean("reprise.no-oracle");
        synchronized (LOCK) {
            file = new Chunks(out);
            file.text(Chunks.MANIFEST, 0, manifest().toString());
            tables = new Stream(file, 1, 0, "jvm.tables", Tables.tablesVersion, "tables", true);
        }
        spool = layOut();
        rings = new Rings(file, spool, RINGS, RING);
        Catalog.begin(loader);
        Recorders.prepare();
        Recorders.start(spool, (int) ProcessHandle.current().pid(), oracle, Tables.races);
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        Thread drainer = new Thread(group, Alone::drainAlways, "reprise-drainer", 0, false);
        drainer.setDaemon(true);
        drainer.start();
        Runtime.getRuntime().addShutdownHook(
            new Thread(group, Alone::finish, "reprise-end", 0, false));
    }

    /** `%p` is the process, `%%` a percent sign. */
    private static String named(String out) {
        String process = Long.toString(ProcessHandle.current().pid());
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < out.length(); i++) {
            char next = i + 1 < out.length() ? out.charAt(i + 1) : 0;
            boolean special = out.charAt(i) == '%' && (next == 'p' || next == '%');
            name.append(special ? next == 'p' ? process : "%" : String.valueOf(out.charAt(i)));
            i += special ? 1 : 0;
        }
        return name.toString();
    }

    /** The tables of the jar that has the class which was entered first. */
    private static ClassLoader readTables() throws IOException {
        StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        Optional<Class<?>> caller = walker.walk(frames -> frames
            .<Class<?>>map(StackWalker.StackFrame::getDeclaringClass)
            .filter(c -> !c.getName().startsWith("reprise.runtime."))
            .findFirst());
        ClassLoader loader = caller.map(Class::getClassLoader).orElse(Alone.class.getClassLoader());
        Set<URL> found = new LinkedHashSet<>(Collections.list(loader.getResources(Tables.NAME)));
        if (found.size() != 1) {
            throw new IOException(found.isEmpty()
                ? "the jar has no " + Tables.NAME + ", which its instrumentation made"
                : "there are " + found.size() + " instrumented jars, whose numbers clash");
        }
        tablesAt = found.iterator().next();
        Tables.read(tablesAt.openStream());
        return loader;
    }

    /** Whether the program's main class is one of the jar. */
    static boolean hasMain() {
        String started = System.getProperty("sun.java.command", "").split(" ")[0];
        return started.endsWith(".jar")
            ? tablesAt.toString().contains(new File(started).toURI().getPath() + "!")
            : Tables.file(started.replace('.', '/')) != null;
    }

    /** The header of a spool, as core/recording/src/spool/layout.rs draws it, with every ring ready. */
    private static long layOut() {
        Unsafe u = Unsafe.getUnsafe();
        long controls = 4096;
        long regions = controls + 256L * RINGS + 4095 & ~4095L;
        long at = u.allocateMemory(regions + RINGS * (4096 + RING));
        u.putInt(at + 12, RINGS);
        u.putLong(at + 16, RING);
        u.putLong(at + 24, controls);
        u.putLong(at + 32, regions);
        u.putInt(at + 40, DEAD_AFTER_MS);
        for (int ring = 0; ring < RINGS; ring++) {
            u.putIntVolatile(null, at + controls + 256L * ring, 1);
        }
        return at;
    }

    private static Json manifest() {
        String command = System.getProperty("sun.java.command", "");
        String arch = System.getProperty("os.arch", "");
        Json host = new Json().put("os", System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT))
            .put("arch", arch.equals("amd64") ? "x86_64" : arch)
            .put("kernel", System.getProperty("os.version", ""))
            .put("cpus", Runtime.getRuntime().availableProcessors());
        Json versions = new Json().put("reprise", Tables.reprise)
            .put("java", System.getProperty("java.version", ""))
            .put("jvm", System.getProperty("java.vm.name", ""));
        Json details = new Json().put("observe", Tables.patterns).put("oracle", oracle).put("races", Tables.races)
            .put("builders", Tables.builders)
            .put("instrumented", "ahead of time");
        return new Json().put("kind", "jvm-observe").put("subject", command.split(" ")[0])
            .put("command", commandLine()).put("host", host).put("started", now())
            .put("versions", versions).put("details", details);
    }

    private static String[] commandLine() {
        try {
            byte[] line = Files.readAllBytes(Paths.get("/proc/self/cmdline"));
            return new String(line, StandardCharsets.UTF_8).split("\0");
        } catch (IOException | RuntimeException elsewhere) {
            return new String[] {System.getProperty("sun.java.command", "")};
        }
    }

    private static long now() {
        return System.currentTimeMillis() / 1000;
    }

    /** An entry of the tables. */
    static void table(byte[] entry) {
        synchronized (LOCK) {
            if (file == null) {
                return;
            }
            try {
                tables.event(entry, 0, entry.length);
            } catch (IOException full) {
                giveUp();
            }
        }
    }

    /** Takes what the rings hold. */
    static void drain() {
        synchronized (LOCK) {
            if (file == null) {
                return;
            }
            try {
                // What is in a ring by now names entries that were there before.
                tables.flush();
                rings.drain();
            } catch (IOException full) {
                giveUp();
            }
            if (file != null && rings.events >= most) {
                end("the limit of " + most + " events");
            } else if (file != null && wish.exists()) {
                end("reprise stop");
                wish.delete();
            }
        }
    }

    /** The recording ends before the program. */
    private static void end(String by) {
        Chunks ended = file;
        giveUp();
        try {
            ended.text(Chunks.CLOSING, 0, closing(new Json().put("how", "running"))
                .raw("cut_short", new Json().put("why", "stopped").put("by", by).toString()).toString());
            ended.close();
        } catch (IOException full) {
            // What is there is readable without.
        }
    }

    /** A file that cannot be written ends the recording, and not the program. */
    private static void giveUp() {
        file = null;
        stop();
    }

    private static void stop() {
        Unsafe.getUnsafe().putIntVolatile(null, spool + STATE, ENDED);
    }

    private static void drainAlways() {
        while (file != null) {
            try {
                Thread.sleep(REST_MS);
            } catch (InterruptedException nobodyDoes) {
                return;
            }
            drain();
        }
    }

    private static void finish() {
        synchronized (LOCK) {
            stop();
            drain();
            if (file == null) {
                return;
            }
            try {
                int status = Exit.status();
                Json ending = new Json().put("how", status < 0 ? "unknown" : "exited");
                Json closing = closing(status < 0 ? ending : ending.put("status", status));
                file.text(Chunks.CLOSING, 0, closing.toString());
                file.close();
            } catch (IOException full) {
                // What is there is readable without.
            }
            file = null;
        }
    }

    private static Json closing(Json ending) {
        StringBuilder not = new StringBuilder("[");
        for (String limit : Tables.limits) {
            String[] parts = limit.split("\t", 2);
            if (!parts[0].equals("the exit status") || !ending.toString().contains("status")) {
                missing(not, parts[0], parts[1]);
            }
        }
        List<String[]> more = Catalog.notRecorded();
        for (String[] parts : more) {
            missing(not, parts[0], parts[1]);
        }
        return new Json().put("ending", ending)
            .raw("not_recorded", not.append(']').toString()).put("ended", now());
    }

    private static void missing(StringBuilder list, String what, String why) {
        Json json = new Json().put("what", what).put("why", why).put("count", 1);
        list.append(list.length() == 1 ? "" : ",").append(json);
    }
}
