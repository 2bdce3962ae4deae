//! What is inserted into classes that javac has compiled, and into those of the JDKs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use expect_test::{Expect, expect};
use reprise_classfile::read::ClassFile;
use reprise_classfile::relocate::Editor;
use reprise_jvm_testing::{compile, jdks, sources};
use reprise_turns::facts::Facts;
use reprise_turns::free::Scope;
use reprise_turns::plan::{Moment, Place};
use reprise_turns::{TurnError, enforce, explore, free, loaders, outside, platform};
use tempfile::TempDir;

const PROGRAM: &str = "
class Main extends ClassLoader implements Runnable {
    static int total;
    final Object lock = new Object();
    volatile boolean done;

    public void run() {
        total++;
        synchronized (lock) {
            done = true;
            lock.notifyAll();
        }
    }

    synchronized void await() throws InterruptedException {
        wait();
        Thread.sleep(1);
    }

    protected Class<?> loadClass(String name, boolean resolve) {
        return null;
    }
}
";

/// What threads share on purpose, and no volatile access says so.
const TABLE: &str = "
class Table {
    static final java.lang.invoke.VarHandle FILLED;
    volatile Integer[] cells = new Integer[8];
    int filled;
    int plain;
    java.lang.ref.WeakReference<Object> last;

    static {
        try {
            FILLED = java.lang.invoke.MethodHandles.lookup().findVarHandle(Table.class, \"filled\", int.class);
        } catch (ReflectiveOperationException wrong) {
            throw new AssertionError(wrong);
        }
    }

    boolean lacks(int at) {
        return cells[at] == null;
    }

    int filled() {
        return filled + plain;
    }

    boolean isGone() {
        return last.get() == null;
    }

    int through(java.util.concurrent.ConcurrentHashMap<Integer, Integer> map) {
        java.util.Iterator<Integer> all = map.values().iterator();
        return all.next() + new java.util.ArrayList<>(map.keySet()).size();
    }
}
";

/// References, and arrays that are shared by means of `Unsafe`.
const CELLS: &str = "
class Cells {
    static sun.misc.Unsafe unsafely;
    Object[] cells = new Object[8];
    java.lang.ref.ReferenceQueue<Object> queue;

    static class Cell extends java.lang.ref.WeakReference<Object> {
        Cell(Object of, java.lang.ref.ReferenceQueue<Object> queue) {
            super(of, queue);
        }
    }

    Object cell(int at) {
        return cells[at];
    }

    boolean fill(int at, Object with) {
        return unsafely.compareAndSwapObject(cells, at * 4L + 16, null, new Cell(with, queue));
    }

    Object of(Cell cell) {
        return cell.get();
    }

    Object gone() throws InterruptedException {
        Object first = queue.poll();
        return first != null ? first : queue.remove(10);
    }
}
";

const WORKERS: &str = "
class Workers {
    static class Worker extends Thread {}
    static class Below extends Worker {
        void join(String what) {}
        public void interrupt() {}
    }

    void awaits(Below below) throws InterruptedException {
        below.join();
    }

    void tells(Below below) {
        below.join(null);
        below.interrupt();
    }
}
";

const DUMP: &str = "
class Dump {
    public static void main(String[] names) throws Exception {
        for (int at = 1; at < names.length; at++) {
            try (var in = ClassLoader.getSystemResourceAsStream(names[at] + \".class\")) {
                if (in != null) {
                    java.nio.file.Files.write(java.nio.file.Paths.get(names[0], names[at].replace('/', '.')),
                            in.readAllBytes());
                }
            }
        }
    }
}
";

/// All programs, compiled once for all tests; nobody removes them.
/// What the JDK calls from a stream: what is over at once, what may take long, and what may block.
const STREAMS: &str = "
class Streams {
    java.util.function.IntUnaryOperator at_once(Integer most) {
        return x -> x > 0 ? x * 7 % Math.max(most, Integer.valueOf(3)) : -x;
    }

    java.util.function.IntUnaryOperator loop() {
        return x -> {
            while (x > 9) {
                x -= 9;
            }
            return x;
        };
    }

    java.util.function.IntUnaryOperator asks(java.util.function.IntSupplier of) {
        return x -> x + of.getAsInt();
    }

    java.util.function.IntUnaryOperator initialises() {
        return x -> x + Integer.getInteger(\"most\");
    }
}
";

static COMPILED: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(folder.path().join("Main.java"), PROGRAM).unwrap();
    fs::write(folder.path().join("Table.java"), TABLE).unwrap();
    fs::write(folder.path().join("Cells.java"), CELLS).unwrap();
    fs::write(folder.path().join("Workers.java"), WORKERS).unwrap();
    fs::write(folder.path().join("Streams.java"), STREAMS).unwrap();
    fs::write(folder.path().join("Dump.java"), DUMP).unwrap();
    compile(&sources(folder.path()), folder.path(), ".");
    folder
});

fn program() -> Vec<u8> {
    fs::read(COMPILED.path().join("Main.class")).unwrap()
}

/// The calls of the scheduler in each method, in order.
fn calls(bytes: &[u8]) -> String {
    let class = ClassFile::parse(bytes).unwrap();
    let mut text = String::new();
    for method in &class.methods {
        let mut found = Vec::new();
        let Some(editor) = Editor::new(&class, method).unwrap() else {
            continue;
        };
        for instruction in editor.instructions() {
            let member = instruction
                .constant()
                .and_then(|index| class.pool.member(index).ok());
            let Some(member) = member else { continue };
            let owner = member.class.to_str_lossy().into_owned();
            if let Some(own) = owner.strip_prefix("java/reprise/scheduler/") {
                found.push(format!("{own}.{}", member.name.to_str_lossy()));
            }
        }
        if !found.is_empty() {
            let name = class.pool.utf8(method.name).unwrap().to_str_lossy();
            text += &format!("{name}: {}\n", found.join(" "));
        }
    }
    text
}

fn check(bytes: &[u8], expected: &Expect) {
    expected.assert_eq(&calls(bytes));
}

fn is_thread(_: &str) -> bool {
    false
}

#[test]
fn a_strategy_may_switch_at_accesses_monitors_and_calls_that_block() {
    let mut next = 0;
    let mut number = |_: &explore::Site<'_>| {
        next += 1;
        next
    };
    let edited = explore::instrument(&program(), &[], &is_thread, false, &mut number).unwrap();
    check(
        &edited,
        &expect![[r#"
        run: Point.access Point.access Point.enter Point.access Point.access Monitors.notifyAll Point.synced Point.exit Point.exit
        await: Point.acquired Point.sync Monitors.wait Point.synced Point.sync Threads.sleep Point.synced Point.exit Point.exit
    "#]],
    );
}

#[test]
fn only_places_that_a_schedule_names_are_instrumented() {
    let place = |method: &str, descriptor: &str, offset| Place {
        moment: Moment::Before,
        class: "Main".to_owned(),
        method: method.to_owned(),
        descriptor: descriptor.to_owned(),
        offset,
    };
    let run = place("run", "()V", 0);
    let edited = enforce::instrument(&program(), &[(0, &run)], &is_thread, false).unwrap();
    check(
        &edited.unwrap(),
        &expect![[r#"
        run: At.before Monitors.notifyAll
        await: Monitors.wait Threads.sleep
    "#]],
    );
    let gone = place("run", "()V", 1);
    let wrong = enforce::instrument(&program(), &[(0, &gone)], &is_thread, false);
    assert!(
        matches!(wrong, Err(TurnError::NoBytecode { .. })),
        "{wrong:?}"
    );
    let gone = place("ran", "()V", 0);
    let wrong = enforce::instrument(&program(), &[(0, &gone)], &is_thread, false);
    assert!(
        matches!(wrong, Err(TurnError::NoMethod { .. })),
        "{wrong:?}"
    );
}

#[test]
fn threads_that_run_freely_say_how_they_synchronise() {
    let bytes = program();
    let mut facts = Facts::default();
    facts.add(&bytes).unwrap();
    assert!(facts.is_synchronized("await", "()V"));
    assert!(facts.is_volatile("done", "Z"));
    assert!(!facts.is_volatile("total", "I"));
    assert!(!facts.has_collections());
    assert_eq!(Facts::read(&facts.write()).write(), facts.write());
    let above = facts.inherited("Main", "getName", "()Ljava/lang/String;");
    assert_eq!(above, Some("java/lang/ClassLoader"));
    assert_eq!(facts.inherited("Main", "run", "()V"), None);
    let free = |scope| {
        let mut number = |_: &explore::Site<'_>| 1;
        let edited = free::instrument(&bytes, scope, &facts, &is_thread, &mut number);
        edited.unwrap().unwrap()
    };
    check(
        &free(Scope::Synchronisation),
        &expect![[r#"
        run: Free.calledBack Free.passes Free.entered Free.writes Free.accessed Monitors.notifyAll Free.leaves Free.thrown Free.leaves Free.returns Free.unwinds
        await: Free.acquired Free.marks Monitors.wait Free.called Free.marks Threads.sleep Free.called Free.leaves Free.thrown Free.leaves
    "#]],
    );
    check(
        &free(Scope::All),
        &expect![[r#"
        run: Free.calledBack Free.reads Free.accessed Free.writes Free.accessed Free.passes Free.entered Free.writes Free.accessed Monitors.notifyAll Free.leaves Free.thrown Free.leaves Free.returns Free.unwinds
        await: Free.acquired Free.marks Monitors.wait Free.called Free.marks Threads.sleep Free.called Free.leaves Free.thrown Free.leaves
    "#]],
    );
}

/// The JDK does not give up what it has for a method that is over at once.
#[test]
fn methods_that_are_over_at_once_are_a_part_of_what_calls_them() {
    let bytes = fs::read(COMPILED.path().join("Streams.class")).unwrap();
    let facts = Facts::default();
    let mut number = |_: &explore::Site<'_>| 1;
    let scope = Scope::Synchronisation;
    let edited = free::instrument(&bytes, scope, &facts, &is_thread, &mut number);
    check(
        &edited.unwrap().unwrap(),
        &expect![[r#"
        lambda$initialises$3: Free.calledBack Free.returns Free.unwinds
        lambda$asks$2: Free.calledBack Free.returns Free.unwinds
        lambda$loop$1: Free.calledBack Free.returns Free.unwinds
    "#]],
    );
}

/// Whoever waits for the end of a thread may be loaded before the class of that thread is, by which
/// nobody can see then that it is one.
#[test]
fn a_thread_of_a_class_that_is_not_loaded_yet_is_joined_as_one() {
    let read = |name| fs::read(COMPILED.path().join(name)).unwrap();
    let mut facts = Facts::default();
    for name in [
        "Workers.class",
        "Workers$Worker.class",
        "Workers$Below.class",
    ] {
        facts.add(&read(name)).unwrap();
    }
    let facts = Facts::read(&facts.write());
    let mut number = |_: &explore::Site<'_>| 1;
    let scope = Scope::Synchronisation;
    let bytes = read("Workers.class");
    let edited = free::instrument(&bytes, scope, &facts, &is_thread, &mut number);
    check(
        &edited.unwrap().unwrap(),
        &expect![[r#"
        awaits: Free.joins Free.called Free.thrown
    "#]],
    );
}

/// Cells of a table in a volatile field, a field that has a handle, what a map is gone through
/// by, and what the garbage collector may have taken away.
#[test]
fn what_is_shared_on_purpose_is_recorded_although_it_is_plain() {
    let bytes = fs::read(COMPILED.path().join("Table.class")).unwrap();
    let mut facts = Facts::default();
    facts.add(&bytes).unwrap();
    assert!(facts.is_volatile("filled", "I"));
    assert!(!facts.is_volatile("plain", "I"));
    let mut number = |_: &explore::Site<'_>| 1;
    let scope = Scope::Synchronisation;
    let edited = free::instrument(&bytes, scope, &facts, &is_thread, &mut number);
    check(
        &edited.unwrap().unwrap(),
        &expect![[r#"
        lacks: Free.reads Free.accessed Free.reads Free.accessed Free.thrown
        filled: Free.reads Free.accessed Free.thrown
        isGone: References.referent
        through: Free.call Free.called Free.perhaps Free.called Free.perhaps Free.called Free.call Free.called Free.perhaps Free.called Free.thrown
        <clinit>: Free.initialises Free.initialised Free.initialised
    "#]],
    );
}

/// Elements of arrays in a class that synchronises by `Unsafe`; what is made, asked and got out
/// of a queue of references.
#[test]
fn arrays_that_unsafe_shares_and_references_are_recorded() {
    let bytes = fs::read(COMPILED.path().join("Cells.class")).unwrap();
    let mut number = |_: &explore::Site<'_>| 1;
    let scope = Scope::Synchronisation;
    let edited = free::instrument(&bytes, scope, &Facts::default(), &is_thread, &mut number);
    check(
        &edited.unwrap().unwrap(),
        &expect![[r#"
        cell: Free.reads Free.accessed Free.thrown
        fill: Free.call Free.called Free.thrown
        of: References.asks References.told
        gone: Free.call Free.called References.polled Free.call References.remove Free.called Free.thrown
    "#]],
    );
}

#[test]
fn class_loaders_answer_for_the_scheduler_and_say_when_they_load() {
    let edited = loaders::instrument(&program()).unwrap().unwrap();
    check(
        &edited,
        &expect![[r#"
        loadClass: Loading.isOwn Loading.own Loading.loads Loading.loaded Loading.loaded
    "#]],
    );
}

/// Classes of a JDK, as it has them.
fn jdk_classes(java: &Path, names: &[&str], look: &mut dyn FnMut(&str, Option<Vec<u8>>)) {
    let folder = tempfile::tempdir().unwrap();
    let dumped = Command::new(java)
        .arg("-cp")
        .arg(COMPILED.path())
        .arg("Dump")
        .arg(folder.path())
        .args(names)
        .output()
        .unwrap();
    assert!(dumped.status.success(), "{dumped:?}");
    for name in names {
        look(
            name,
            fs::read(folder.path().join(name.replace('/', "."))).ok(),
        );
    }
}

/// Every JDK has the methods in which threads wait for something outside.
#[test]
fn outside_methods_of_every_jdk_ask_the_scheduler() {
    let both = [
        ("java/io/FileInputStream", "Pieces.hasRead"),
        ("java/io/FileOutputStream", "Outside.wrote"),
        ("java/lang/ProcessImpl", "Outside.exits"),
        (
            "java/nio/channels/spi/AbstractInterruptibleChannel",
            "Outside.closes",
        ),
        ("sun/nio/ch/DatagramChannelImpl", "Outside.reads"),
        ("sun/nio/ch/EPollSelectorImpl", "Selecting.selects"),
        ("sun/nio/ch/EPollSelectorImpl", "Selecting.selected"),
        ("sun/nio/ch/FileChannelImpl", "Outside.locks"),
        ("sun/nio/ch/SelectorImpl", "Outside.ordered"),
        ("sun/nio/ch/SelectorImpl", "Selecting.registers"),
        ("sun/nio/ch/ServerSocketChannelImpl", "Outside.gets"),
        ("sun/nio/ch/SinkChannelImpl", "Outside.wrote"),
        ("sun/nio/ch/SocketChannelImpl", "Outside.connects"),
        ("sun/nio/ch/SocketChannelImpl", "Outside.wrote"),
        ("sun/nio/ch/SourceChannelImpl", "Pieces.hasRead"),
        ("java/io/PipedInputStream", "Monitors.wait"),
    ];
    // Sockets are one class from 13 on, and another before.
    let one = [
        ("sun/nio/ch/NioSocketImpl", "Outside.reads"),
        ("java/net/AbstractPlainSocketImpl", "Outside.accepts"),
    ];
    let all: Vec<(&str, &str)> = both.into_iter().chain(one).collect();
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    for java in jdks() {
        let mut sockets = 0;
        jdk_classes(&java, &names, &mut |name, bytes| {
            assert!(platform::concerns(name, false), "{name}");
            let Some(bytes) = bytes else {
                assert!(
                    one.iter().any(|(class, _)| *class == name),
                    "{name} in {java:?}"
                );
                return;
            };
            let edited = platform::change(&bytes, false).unwrap().unwrap();
            let text = calls(&edited);
            for (_, wanted) in all.iter().filter(|(class, _)| *class == name) {
                assert!(text.contains(wanted), "{name} in {java:?}: {text}");
            }
            sockets += usize::from(name.ends_with("SocketImpl"));
        });
        assert!(sockets > 0, "{java:?}");
    }
    assert!(!outside::concerns("java/io/InputStream"));
    assert!(!platform::concerns("java/io/InputStream", true));
}
