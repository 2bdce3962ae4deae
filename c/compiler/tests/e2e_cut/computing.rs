//! Programs that compute, from Debian's sources, in the role of those of SPEC CINT2000: what
//! the whole of each costs, and a search function of a game as the target.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::debian;
use super::measure::{Case, Run, with};
use super::stage::{Stage, reprise};

const WHOLE: &[&str] = &["--whole-program"];

fn write(stage: &Stage, name: &str, content: &str) -> u64 {
    fs::write(stage.folder.path().join(name), content).unwrap();
    content.len() as u64
}

/// Numbers without a pattern, the same in every run.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    }
}

/// Compression.
#[test]
fn computing_bzip2() {
    let Some(stage) = debian::stage("bzip2") else {
        return;
    };
    let cc = reprise().display();
    stage.source("bzip2", &format!("make -s CC='{cc} cc' bzip2"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("SPECIFICATION.md")).unwrap();
    write(&stage, "small", text.get(..20_000).unwrap_or(&text));
    let mut more = numbers(1);
    let mut large = String::new();
    for line in text.lines().cycle().take(40_000) {
        let _ = writeln!(large, "{} {line}", more(100_000));
    }
    let bzip2 = Case {
        program: "./bzip2.src/tree/bzip2",
        small: with(&["-c", "small"]),
        large: with(&["-c", "large"]),
        reads: write(&stage, "large", &large),
    };
    stage.compare(bzip2, WHOLE);
}

/// Graphs: the largest clique.
#[test]
fn computing_cliquer() {
    let Some(stage) = debian::stage("cliquer") else {
        return;
    };
    let cc = reprise().display();
    stage.source("cliquer", &format!("make -s CC='{cc} cc' cl"));
    let graph = |nodes: u64, edges: u64| {
        let mut chosen = numbers(7);
        let mut text = format!("p edge {nodes} {edges}\n");
        for _ in 0..edges {
            let (one, other) = (chosen(nodes), chosen(nodes));
            if one != other {
                let _ = writeln!(text, "e {} {}", one + 1, other + 1);
            }
        }
        text
    };
    write(&stage, "small.graph", &graph(40, 300));
    let cliquer = Case {
        program: "./cliquer.src/tree/cl",
        small: with(&["-q", "-q", "small.graph"]),
        large: with(&["-q", "-q", "large.graph"]),
        reads: write(&stage, "large.graph", &graph(260, 22_000)),
    };
    stage.compare(cliquer, WHOLE);
}

/// An interpreter.
#[test]
fn computing_lua() {
    let Some(stage) = debian::stage("lua") else {
        return;
    };
    let cc = reprise().display();
    stage.source("lua5.4", &format!("make -s -C src CC='{cc} cc' posix"));
    let script = |size: u32| {
        format!(
            "local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end\n\
             local words, size = {{}}, {size}\n\
             for i = 1, size * 200 do words[i] = string.format('%05d', (i * 7919) % 100003) end\n\
             table.sort(words)\n\
             local count = {{}}\n\
             for _, word in ipairs(words) do\n\
               local key = word:sub(1, 3)\n\
               count[key] = (count[key] or 0) + 1\n\
             end\n\
             print(fib(size), #words, words[1], count['123'])\n"
        )
    };
    write(&stage, "small.lua", &script(10));
    let lua = Case {
        program: "./lua5.4.src/tree/src/lua",
        small: with(&["small.lua"]),
        large: with(&["large.lua"]),
        reads: write(&stage, "large.lua", &script(32)),
    };
    stage.compare(lua, WHOLE);
}

/// A parser.
#[test]
fn computing_expat() {
    let Some(stage) = debian::stage("expat") else {
        return;
    };
    let cc = reprise().display();
    let make = format!(
        "cd expat && printf '#define BYTEORDER 1234\\n#define HAVE_GETRANDOM 1\\n#define \
         HAVE_UNISTD_H 1\\n#define \
         XML_CONTEXT_BYTES 1024\\n#define XML_DTD 1\\n#define XML_GE 1\\n#define XML_NS 1\\n' \
         > expat_config.h && {cc} cc -O2 -I. -Ilib -DHAVE_EXPAT_CONFIG_H -o wf lib/xmlparse.c \
         lib/xmlrole.c lib/xmltok.c xmlwf/xmlwf.c xmlwf/xmlfile.c xmlwf/codepage.c \
         xmlwf/readfilemap.c"
    );
    stage.source("expat", &make);
    let document = |items: u64| {
        let mut text = "<?xml version='1.0'?>\n<list xmlns:a='urn:a'>\n".to_owned();
        let mut more = numbers(3);
        for item in 0..items {
            let _ = writeln!(
                text,
                "<item number='{item}' a:kind='k{}'>text &amp; {} <b>more</b></item>",
                more(9),
                more(1_000_000)
            );
        }
        text + "</list>\n"
    };
    write(&stage, "small.xml", &document(100));
    let expat = Case {
        program: "./expat.src/tree/expat/wf",
        small: with(&["-n", "-r", "small.xml"]),
        large: with(&["-n", "-r", "large.xml"]),
        reads: write(&stage, "large.xml", &document(100_000)),
    };
    stage.compare(expat, WHOLE);
}

/// A small database.
#[test]
fn computing_sqlite() {
    let Some(stage) = debian::stage("sqlite") else {
        return;
    };
    let cc = reprise().display();
    let options = "-O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I.";
    stage.source(
        "sqlite3",
        &format!(
            "./configure -q --disable-tcl --disable-readline && make -s sqlite3.c shell.c \
             && {cc} cc {options} -o sql shell.c sqlite3.c -lm"
        ),
    );
    let script = |rows: u64| {
        let mut text =
            "create table t(a integer primary key, b text, c integer);\nbegin;\n".to_owned();
        let mut more = numbers(5);
        for row in 0..rows {
            let _ = writeln!(
                text,
                "insert into t values({row}, 'name {}', {});",
                more(1000),
                more(100_000)
            );
        }
        text + "commit;\ncreate index i on t(c);\n\
                select b, count(*), sum(c) from t group by b order by 2 desc, 1 limit 5;\n\
                select count(*) from t one join t other on one.c = other.c;\n"
    };
    write(&stage, "small.sql", &script(100));
    let reads = write(&stage, "large.sql", &script(4_000));
    let read = |input| Run {
        arguments: &[":memory:"],
        input: Some(input),
    };
    let sqlite = Case {
        program: "./sqlite3.src/tree/sql",
        small: read("small.sql"),
        large: read("large.sql"),
        reads,
    };
    stage.compare(sqlite, WHOLE);
}

/// A search in the tree of a game; and its search function alone, which reads more of the
/// rest of the program than the whole program reads of the world.
#[test]
fn computing_phalanx() {
    let Some(stage) = debian::stage("phalanx") else {
        return;
    };
    let cc = reprise().display();
    stage.source("phalanx", &format!("make -s CC='{cc} cc' phalanx"));
    let play = |depth: u32| format!("depth {depth}\ngo\ngo\ngo\ngo\nquit\n");
    write(&stage, "small.play", &play(2));
    // With 10 it plays otherwise where it is compiled with -O3, by the same compiler too.
    let reads = write(&stage, "large.play", &play(9));
    // Without opening book, learning, thinking ahead and looking for input.
    let read = |input| Run {
        arguments: &["-b-", "-l-", "-p-", "-o-"],
        input: Some(input),
    };
    let phalanx = Case {
        program: "./phalanx.src/tree/phalanx",
        small: read("small.play"),
        large: read("large.play"),
        reads,
    };
    for target in [
        WHOLE,
        &["--target", "search.c:search"],
        &["--target", "search.c:search", "--naive"],
    ] {
        stage.compare(phalanx, target);
    }
}
