package reprise.scheduler;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.jar.JarFile;

/**
 * Many runs of a program in one JVM: each has a class loader of its own, so its classes
 * are new, and a thread of its own for main. What is asked for comes in lines, and so
 * does what is answered:
 *
 * <pre>
 * run STRATEGY SEED STEPS         a strategy chooses
 * guide FILE                      somebody wishes
 * merge FILE                      vectors are followed
 *
 * steps N, uncaught …, deadlock   what is otherwise in a report
 * unfit WHY                       this program needs a JVM for each run
 * over STATUS                     the run has ended
 * </pre>
 *
 * Threads that are left at the end of a run stay where they wait for their turn, which
 * nobody gives them: a thread cannot be ended from outside.
 */
final class Serving {
    /** So many threads may be left before another JVM has to take over. */
    private static final int LEFT = 1000;

    /** Whether this JVM has many runs. */
    static boolean active;

    /** Guards what is answered, and whether a run has ended. */
    static final Object OVER = new Object();
    private static Writer answers;
    private static boolean over;
    private static int status;
    private static boolean mainFailed;
    /** Which run it is. */
    private static int number;

    private Serving() {}

    /** Serves until nobody asks any more. */
    static void serve(String requests, String answered) throws IOException {
        active = true;
        Explorer.writes = false;
        answers = new OutputStreamWriter(new FileOutputStream(answered), StandardCharsets.UTF_8);
        Properties properties = (Properties) System.getProperties().clone();
        PrintStream out = System.out;
        PrintStream err = System.err;
        InputStream in = System.in;
        Program program = null;
        try {
            program = Program.find();
        } catch (IOException | RuntimeException wrong) {
            unfit(wrong.getMessage());
        }
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        listen(requests, lines);
        while (Engine.left() <= LEFT) {
            String line;
            try {
                line = lines.take();
            } catch (InterruptedException interrupted) {
                continue;
            }
            String[] words = line.split(" ");
            run(program, strategy(line, words));
            System.setProperties((Properties) properties.clone());
            System.setOut(out);
            System.setErr(err);
            System.setIn(in);
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
        Runtime.getRuntime().halt(0);
    }

    private static Strategy strategy(String line, String[] words) throws IOException {
        switch (words[0]) {
            case "guide":
                return Guide.read(line.substring("guide ".length()), 1);
            case "merge":
                return Merge.read(line.substring("merge ".length()));
            default:
                return Strategy.of(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
    }

    /** Reads what is asked for. When nobody asks any more, a run that is under way ends, too. */
    private static void listen(String requests, BlockingQueue<String> lines) throws IOException {
        BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(requests), StandardCharsets.UTF_8));
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        Thread listener = new Thread(group, () -> {
            try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.add(line);
                }
            } catch (IOException gone) {
                // The same as the end.
            }
            Runtime.getRuntime().halt(0);
        }, "reprise");
        listener.setDaemon(true);
        listener.start();
    }

    private static void run(Program program, Strategy strategy) throws IOException {
        over = false;
        status = 0;
        mainFailed = false;
        number++;
        Engine.reset();
        Explorer explorer = new Explorer(strategy);
        ClassLoader loader = program.loader();
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread main = new Thread(group, () -> {
            Engine.begin(explorer);
            program.run(loader);
        }, "main");
        main.setContextClassLoader(loader);
        main.start();
        synchronized (OVER) {
            while (!over) {
                try {
                    OVER.wait();
                } catch (InterruptedException interrupted) {
                    // Nobody has a reason to.
                }
            }
        }
        explorer.finish();
        say("over", String.valueOf(status));
        answers.flush();
    }

    /** The run has ended. The thread that calls goes nowhere from here, unless it is dead. */
    static void end(int with) {
        Engine.running = null;
        synchronized (OVER) {
            if (!over) {
                status = with;
                over = true;
                OVER.notifyAll();
            }
        }
    }

    /** All threads of the run have ended. */
    static void ended() {
        end(mainFailed ? 1 : 0);
    }

    static void mainFailed() {
        mainFailed = true;
    }

    /** Answers with a line. */
    static void say(String what, String text) {
        synchronized (OVER) {
            try {
                answers.write(what + " " + text.replace('\n', ' ') + "\n");
            } catch (IOException nobodyListens) {
                Runtime.getRuntime().halt(1);
            }
        }
    }

    /** Says that runs of this program cannot share a JVM, and why. */
    static void unfit(String why) {
        say("unfit", String.valueOf(why));
        try {
            answers.flush();
        } catch (IOException nobodyListens) {
            // Then nobody needs to know.
        }
        Runtime.getRuntime().halt(0);
    }

    /** What was started: a main class and its arguments. */
    private static final class Program {
        private final String main;
        private final String[] arguments;
        private final URL[] path;

        private Program(String main, String[] arguments, URL[] path) {
            this.main = main;
            this.arguments = arguments;
            this.path = path;
        }

        static Program find() throws IOException {
            if (System.getProperty("jdk.module.main") != null) {
                throw new IOException("it is a module");
            }
            String command = System.getProperty("sun.java.command", "");
            List<String> words = words(command);
            String classPath = System.getProperty("java.class.path", "");
            String main = words.remove(0);
            List<URL> path = new ArrayList<>();
            for (String entry : classPath.split(File.pathSeparator)) {
                path.add(new File(entry.isEmpty() ? "." : entry).toURI().toURL());
            }
            if (main.equals(classPath) && new File(main).isFile()) {
                try (JarFile jar = new JarFile(main)) {
                    main = jar.getManifest().getMainAttributes().getValue("Main-Class");
                    if (jar.getManifest().getMainAttributes().getValue("Launcher-Agent-Class") != null) {
                        throw new IOException("its jar brings an agent");
                    }
                }
            }
            if (main == null || main.isEmpty()) {
                throw new IOException("its main class is not known");
            }
            return new Program(main.trim(), words.toArray(new String[0]), path.toArray(new URL[0]));
        }

        /** The words of the command as they were given: the property joins them with blanks. */
        private static List<String> words(String command) throws IOException {
            String line = new String(Files.readAllBytes(Paths.get("/proc/self/cmdline")),
                    StandardCharsets.UTF_8);
            List<String> all = new ArrayList<>(List.of(line.split("\0", -1)));
            all.remove(all.size() - 1);
            for (int from = 1; from < all.size(); from++) {
                List<String> rest = all.subList(from, all.size());
                if (String.join(" ", rest).equals(command)) {
                    return new ArrayList<>(rest);
                }
            }
            throw new IOException("its arguments are not known");
        }

        ClassLoader loader() {
            return new URLClassLoader("app", path, ClassLoader.getPlatformClassLoader());
        }

        /** Runs it as the JVM would. */
        void run(ClassLoader loader) {
            Method method;
            try {
                Class<?> type = Class.forName(main, false, loader);
                method = type.getMethod("main", String[].class);
                if (!Modifier.isStatic(method.getModifiers())) {
                    throw new NoSuchMethodException("main");
                }
                method.setAccessible(true);
            } catch (ReflectiveOperationException | LinkageError wrong) {
                unfit("its main method cannot be called: " + wrong);
                return;
            }
            try {
                method.invoke(null, (Object) arguments.clone());
            } catch (InvocationTargetException thrown) {
                Program.<RuntimeException>pass(thrown.getCause());
            } catch (IllegalAccessException wrong) {
                unfit("its main method cannot be called: " + wrong);
            }
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void pass(Throwable thrown) throws T {
            throw (T) thrown;
        }
    }
}
