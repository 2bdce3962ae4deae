//! Berkeley DB from Debian's sources: two nodes that replicate, over the loopback interface,
//! with the part that manages the replicas as the target. Several threads are inside.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::debian;
use super::measure::median;
use super::stage::{Stage, reprise};

/// A node: an example of the sources that keeps prices of stocks.
struct Node {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    said: String,
}

impl Node {
    fn start(stage: &Stage, command: &mut Command, home: &str, arguments: &[&str]) -> Self {
        let home = stage.folder.path().join(home);
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        let mut child = command
            .arg("-h")
            .arg(&home)
            .args(arguments)
            .current_dir(stage.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut from = child.stdout.take().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(len @ 1..) = from.read(&mut bytes) {
                let _ = send.send(bytes[..len].to_vec());
            }
        });
        Self {
            child,
            input,
            output,
            said: String::new(),
        }
    }

    fn tell(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).unwrap();
        self.input.write_all(b"\n").unwrap();
        self.input.flush().unwrap();
    }

    /// Tells it something until it says something. A program that is to be weighed is built
    /// first, which takes minutes.
    fn until(&mut self, line: &str, says: &str) {
        let started = Instant::now();
        let before = self.said.len();
        loop {
            self.tell(line);
            std::thread::sleep(Duration::from_millis(100));
            while let Ok(more) = self.output.try_recv() {
                self.said.push_str(&String::from_utf8_lossy(&more));
            }
            if self.said[before..].contains(says) {
                return;
            }
            assert!(
                started.elapsed() < Duration::from_secs(1200),
                "{}",
                self.said
            );
        }
    }

    fn end(mut self) {
        self.tell("quit");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

fn port() -> String {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    address.unwrap().to_string()
}

#[test]
fn debian_replicas() {
    const MANY: usize = 2_000;
    let Some(stage) = debian::stage() else { return };
    let cc = reprise().display();
    // A function of theirs has the name of one of the compiler's.
    stage.source(
        "db5.3",
        &format!(
            "sed -i s/__atomic_compare_exchange/__db_compare_exchange/ src/dbinc/atomic.h \
             && cd build_unix && CC='{cc} cc' CFLAGS='-O1 -std=gnu89 -Wno-implicit-int \
             -Wno-implicit-function-declaration -Wno-int-conversion' ../dist/configure -q \
             --disable-shared --with-mutex=POSIX/pthreads --disable-atomicsupport \
             && make -s ex_rep_mgr"
        ),
    );
    let program = "./db5.3.src/tree/build_unix/ex_rep_mgr";
    let at = stage.folder.path().join(program);
    // A master and a client; both are asked to end when the client has the last price.
    let run = |mut master: Command, prices: usize| -> Duration {
        let (one, other) = (port(), port());
        let master = &mut master;
        let mut first = Node::start(&stage, master, "first", &["-M", "-L", &one]);
        first.until("", "QUOTESERVER");
        let arguments = ["-C", "-l", &other, "-r", &one];
        let mut second = Node::start(&stage, &mut Command::new(&at), "second", &arguments);
        first.until("S0 1", ">");
        second.until("", "S0");
        let started = Instant::now();
        for number in 1..=prices {
            first.tell(&format!("S{number} {number}"));
        }
        second.until("", &format!("S{prices}"));
        let time = started.elapsed();
        second.end();
        first.end();
        time
    };
    let with = |arguments: &[&str]| {
        let mut command = Command::new(reprise());
        command.args(arguments);
        command
    };
    run(with(&["cut", program, "--weigh", "--", program]), 50);
    for target in [
        &["--target", "repmgr_*.c:*"][..],
        &["--target", "repmgr_net.c:*"],
    ] {
        stage.cut(program, target, true);
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..3 {
            times[0].push(run(Command::new(&at), MANY));
            let _ = fs::remove_file(stage.folder.path().join("x.reprise"));
            let record = ["record", "-o", "x.reprise", "--", "./prog.cut"];
            times[1].push(run(with(&record), MANY));
        }
        let [plain, recorded] = times.map(median);
        println!(
            "times      plain {} ms, recorded {} ms for {MANY} prices",
            plain.as_millis(),
            recorded.as_millis()
        );
        stage.as_far_as_it_goes();
    }
    assert!(Path::new(&at).exists());
}
