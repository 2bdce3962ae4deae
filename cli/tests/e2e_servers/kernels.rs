//! Recordings of here, replayed on other kernels, and the other way. The kernels are Debian's,
//! old and new, and boot in an emulator, so that the processor is another one, too: it has
//! no AVX-512, does not pack registers, and lays them out otherwise.

mod machine;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use self::machine::{Kernel, Machine};
use crate::programs::{moments_of, replay_all};
use crate::{is_there, program};

/// What is recorded here: a name and a command of the shell.
const RUNS: &[(&str, &str)] = &[
    ("gzip", "exec gzip -9 -c text"),
    ("bc", "echo 'scale=200; 4*a(1)' | bc -l"),
    (
        "sqlite3",
        "exec sqlite3 :memory: 'create table t(a, b); with recursive c(x) as (select 1 union all \
         select x + 1 from c where x < 3000) insert into t select x, x * x from c; select sum(b) \
         from t'",
    ),
    (
        "python3-threads",
        "OPENSSL_ia32cap=~0x0:~0x20000000 exec /usr/bin/python3 -c 'import threading, hashlib\n\
         def f(): print(hashlib.sha256(b\"x\" * 100000).hexdigest(), sum(range(30000)))\n\
         ts = [threading.Thread(target=f) for _ in range(4)]\n\
         [t.start() for t in ts]; [t.join() for t in ts]'",
    ),
    (
        "busybox-static",
        "exec busybox sh -c 'seq 1 300 | busybox sort -r | busybox md5sum'",
    ),
];

/// The servers among those of the study of programs.
const SERVERS: &[&str] = &["redis", "nginx, 2 workers", "memcached"];

/// The subjects that are recorded on both sides.
const SUBJECTS: &[&str] = &["static", "threads", "signals", "shared", "preempt", "fork"];

/// How often a kernel is booted at most. The emulated processor sometimes loses its flags
/// (`kernels/flags.c` finds that out), and then the kernel often panics, too.
const ATTEMPTS: usize = 3;

/// What a kernel starts. Each replay is told in lines that begin with its name; recordings
/// go out through the second serial port.
const JOB: &str = r#"
wrong=
# What was done up to here counts only if the processor still keeps its flags.
looks() {
    [ -n "$wrong" ] && return
    flags >/tmp/flags && return
    wrong=1
    echo "@flags $(cat /tmp/flags) $1"
}
looks boot
replays() {
    p=1
    while :; do
        timeout 100 reprise replay --process $p $1 >/tmp/out 2>/tmp/err
        s=$?
        grep -q "none is\|there is one process" /tmp/err && break
        looks "replaying $(basename $1 .reprise)"
        echo "@replayed $(basename $1 .reprise) $p $s $(grep '^reprise: ' /tmp/err | tail -1)"
        p=$((p + 1))
        [ $p -gt 40 ] && break
    done
}
records() {
    n=$1
    shift
    timeout 100 reprise record --last 10s --keep all -o $n.reprise -- "$@" >/tmp/out 2>/tmp/err
    s=$?
    looks "recording $n"
    echo "@recorded $n $s $(grep 'recorded' /tmp/err | tail -1)"
    [ -f $n.reprise ] || return
    replays $n.reprise
    [ -n "$wrong" ] && return
    (echo "@ $n"; base64 $n.reprise; echo "@") >/dev/ttyS1
}
for f in /recordings/*.reprise; do replays $f; done
cd /tmp
seq 1 20000 >text
for p in /programs/*; do
    case $p in
    */gzip) records there-gzip $p -9 -c text ;;
    */bc) records there-bc sh -c "echo 'scale=50; 4*a(1)' | $p -l" ;;
    *) records there-$(basename $p) $p ;;
    esac
done
# One step back from the end, through gdb's protocol: it answers with where it stands.
ifconfig lo up
reprise replay --debug --port 1234 /recordings/gzip.reprise >/tmp/out 2>/tmp/err &
sleep 10
(printf '+$c#63'; sleep 15; printf '+$bs#d5'; sleep 10; printf '+$bc#c5'; sleep 15) |
    timeout 120 nc 127.0.0.1 1234 >/tmp/wire
looks debugging
echo "@debugged $(tr -c 'a-zA-Z0-9:;#$%.\n' ' ' </tmp/wire | grep -o 'T[0-9a-f]*[^#]*' | cut -c1-40 | tr '\n' ' ')"
"#;

#[test]
fn kernels() {
    let Ok(wanted) = std::env::var("LAST_KERNELS") else {
        println!("skipped: LAST_KERNELS=1 boots Debian's, the name of a folder those in it");
        return;
    };
    let needed = ["qemu-system-x86_64", "busybox", "cpio", "dpkg-deb"];
    if !needed.iter().all(|program| is_there(program)) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let recordings = record_here(folder.path());
    let programs = programs(folder.path());
    let flags = flags(folder.path());
    for kernel in Kernel::all(&wanted) {
        let machine = Machine::new(&folder.path().join(&kernel.name), JOB);
        for file in &recordings {
            let name = file.file_name().unwrap();
            fs::copy(file, machine.root.join("recordings").join(name)).unwrap();
        }
        for file in &programs {
            machine.add("programs", file);
        }
        machine.add("bin", &flags);
        for attempt in 1..=ATTEMPTS {
            let said = machine.boot(&kernel);
            let trusted = report(&kernel, &said.console);
            replay_here(&said.recordings, folder.path());
            if trusted {
                break;
            }
            println!("  not all of this counts (boot {attempt} of at most {ATTEMPTS})");
        }
    }
}

/// Records the programs of here, and returns the files.
fn record_here(folder: &Path) -> Vec<PathBuf> {
    let here = folder.join("here");
    fs::create_dir(&here).unwrap();
    let lines: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    fs::write(here.join("text"), lines).unwrap();
    let mut files = Vec::new();
    let mut record = |name: &str, arguments: &[&str], plain: bool| {
        let file = here.join(format!("{name}.reprise"));
        let mut command = Command::new(program());
        command.args(["record", "--last", "10s", "--keep", "all", "-o"]);
        command.arg(&file);
        // What programs use of AVX-512 the emulated processor does not have.
        command.args((!plain).then_some("--portable"));
        command.arg("--").args(arguments);
        command.current_dir(&here).env("XDG_RUNTIME_DIR", &here);
        command.stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("");
        println!("recorded here: {name}: {}", without_names(last));
        files.extend(file.exists().then_some(file));
    };
    for (name, command) in RUNS {
        record(name, &["sh", "-c", command], false);
    }
    record("gzip-with-avx512", &["gzip", "-9", "-c", "text"], true);
    for subject in programs(folder) {
        let name = subject.file_name().unwrap().to_string_lossy().into_owned();
        if SUBJECTS.contains(&name.as_str()) {
            record(
                &format!("subject-{name}"),
                &[subject.to_str().unwrap()],
                false,
            );
        }
    }
    for name in SERVERS {
        let own = TempDir::new().unwrap();
        let simple = name.replace([' ', ','], "");
        if let Some(file) = moments_of(name, own.path()) {
            let kept = here.join(format!("{simple}.reprise"));
            fs::copy(file, &kept).unwrap();
            println!("recorded here: {simple}");
            files.push(kept);
        }
    }
    files
}

/// A line without the names of files, which say nothing to others.
fn without_names(line: &str) -> String {
    let parts = line
        .split("; ")
        .filter(|part| !part.starts_with("replay it"));
    let parts = parts.map(|part| match part.split_once(" (") {
        Some((before, rest)) if before.contains("recorded ") => format!("({rest}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The programs that are recorded on the other side: subjects, and two of Debian's.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let made = folder.join("programs");
    let _ = fs::create_dir(&made);
    let mut all = Vec::new();
    for name in SUBJECTS {
        let source = format!(
            "{}/../subjects/process-{name}/main.c",
            env!("CARGO_MANIFEST_DIR")
        );
        let file = made.join(name);
        if !file.exists() {
            let text = fs::read_to_string(&source).unwrap();
            let flags = text.lines().find_map(|line| line.strip_prefix("// cc: "));
            let mut gcc = Command::new("gcc");
            gcc.args(flags.unwrap_or("").split_whitespace());
            assert!(
                gcc.arg("-o")
                    .arg(&file)
                    .arg(&source)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        all.push(file);
    }
    all.extend(["/bin/gzip", "/usr/bin/bc"].map(PathBuf::from));
    all
}

/// The program that asks the emulated processor for its flags.
fn flags(folder: &Path) -> PathBuf {
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/e2e_servers/kernels/flags.c"
    );
    let file = folder.join("flags");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-static", "-mno-red-zone", "-o"])
        .arg(&file);
    assert!(gcc.arg(source).status().unwrap().success());
    file
}

/// What a kernel's console says, as lines of a result; whether the emulated processor is to be
/// trusted in all of it. What came after it had lost its flags is not judged.
fn report(kernel: &Kernel, console: &str) -> bool {
    println!();
    println!("kernel {}", kernel.name);
    let lines = console
        .lines()
        .filter_map(|line| line.trim().strip_prefix('@'));
    let mut trusted = true;
    let mut replayed: BTreeMap<&str, Vec<(bool, String)>> = BTreeMap::new();
    let mut unjudged = 0;
    for line in lines {
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        match words[..] {
            ["flags", ..] => {
                trusted = false;
                println!("  impossible {line}");
            }
            ["replayed", ..] if !trusted => unjudged += 1,
            ["replayed", name, _, status, said] => {
                let one = (status == "0", without_names(said));
                replayed.entry(name).or_default().push(one);
            }
            ["recorded", name, _, _, said] => {
                println!("  recorded there: {name} {}", without_names(said));
            }
            ["end"] => {}
            _ => println!("  {line}"),
        }
    }
    for (name, all) in replayed {
        let good = all.iter().filter(|(good, _)| *good).count();
        println!("  {name:<20} replayed {good} of {}", all.len());
        for (_, said) in all.iter().filter(|(good, _)| !good) {
            println!("      {}", said.chars().take(240).collect::<String>());
        }
    }
    if unjudged > 0 {
        println!("  {unjudged} replays behind that are not judged");
    }
    if !console.contains("@end") {
        trusted = false;
        let mut last: Vec<&str> = console.lines().rev().take(8).collect();
        last.reverse();
        println!("  it did not come to the end:\n{}", last.join("\n"));
    }
    trusted
}

/// Replays here what was recorded there.
fn replay_here(recordings: &[(String, Vec<u8>)], folder: &Path) {
    for (name, bytes) in recordings {
        let file = folder.join("back.reprise");
        fs::write(&file, bytes).unwrap();
        let replayed = replay_all(None, folder, &file);
        let good = replayed.processes - replayed.wrong.len();
        let kilobytes = bytes.len() / 1000;
        println!(
            "  back here: {name:<18} {kilobytes:>5} kB, replayed {good} of {}",
            replayed.processes
        );
        for wrong in &replayed.wrong {
            println!("      {wrong}");
        }
    }
}
