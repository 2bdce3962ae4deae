//! Programs that make many objects for short use are played in a heap that has
//! room for few of them: an object is let go of after its last mention.

use std::fs;
use std::path::Path;
use std::time::Instant;

use reprise_jvm_player::{Jvm, Launch};

use crate::support;

/// The smallest heap that a replay gets.
const HEAP: u64 = 64 << 20;

/// Objects that come in, go out, go out in arrays and are captured by lambdas, each kind more than
/// the heap has room for; some are mentioned again a while later, one at the very end.
const PROGRAM: &str = r#"
import java.util.ArrayDeque;
import java.util.function.IntSupplier;

public class Main {
    static final ArrayDeque<Object> LATELY = new ArrayDeque<>();

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        Inside inside = new Inside(count > 1_000_000 ? 0 : 4000);
        Object first = inside.make(-1);
        Token token = new Token();
        inside.take(token, -1);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += inside.take(new Token(), i);
            LATELY.add(inside.make(i));
            LATELY.add(inside.many(i)[1]);
            inside.lend(i);
            while (LATELY.size() > 40) {
                sum += inside.again(LATELY.poll());
            }
        }
        System.out.println(sum + inside.again(first) + inside.take(token, 1));
    }

    static Object fresh() {
        return new Token();
    }

    static void runs(IntSupplier function) {
        LATELY.add(function);
        LATELY.removeLast();
    }
}

class Token {
    FIELDS
}

class Inside {
    private final int size;

    Inside(int size) {
        this.size = size;
    }

    int take(Object token, int i) {
        return Main.fresh() == token ? 1 : i;
    }

    Object make(int i) {
        return new Part(i, size);
    }

    Object[] many(int i) {
        return new Object[] {new Part(i, size), new Part(i + 1, size)};
    }

    void lend(int i) {
        Part part = new Part(i, size);
        Main.runs(() -> part.number);
    }

    int again(Object part) {
        return ((Part) part).number;
    }
}

class Part {
    final int number;
    final byte[] content;

    Part(int number, int size) {
        this.number = number;
        content = new byte[size];
    }
}
"#;

#[test]
fn objects_are_let_go_of_after_their_last_mention() {
    let thorough = std::env::var_os("REPRISE_THOROUGH").is_some();
    let count: u32 = if thorough { 1_200_000 } else { 16_000 };
    // Objects of about 4 KB where they are few.
    let fields = if thorough { 1 } else { 500 };
    let fields: Vec<String> = (0..fields).map(|at| format!("long f{at};")).collect();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Main.java");
    fs::write(&source, PROGRAM.replace("FIELDS", &fields.join(" "))).unwrap();
    support::compile(&[source], folder.path(), ".");
    let java = &support::jdks()[0];
    for options in ["observe=Inside:Part", "observe=Inside:Part,no-oracle"] {
        let program = ["-Xmx64m", "-cp", ".", "Main", &count.to_string()];
        let (file, _) = support::record(java, folder.path(), options, &program);
        let start = Instant::now();
        let played = support::play(&mut small(java), &file);
        let played = played.unwrap_or_else(|error| panic!("{options}: {error}"));
        assert_eq!(played.divergences, [], "{options}");
        assert!(
            played.events > u64::from(count) * 5,
            "{options}: {played:?}"
        );
        println!(
            "{options}: {} events in {:?}",
            played.events,
            start.elapsed()
        );
    }
}

/// A JVM with the smallest heap.
fn small(java: &Path) -> Jvm {
    let launch = Launch {
        java: java.to_owned(),
        memory: HEAP,
        seconds: 600,
        ..Launch::default()
    };
    Jvm::start(&launch).unwrap()
}
