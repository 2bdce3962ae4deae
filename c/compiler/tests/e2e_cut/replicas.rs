//! Berkeley DB from Debian's sources: two nodes that replicate, over the loopback interface,
//! with the part that manages the replicas as the target. Several threads are inside.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::debian;
use super::measure::median;
use super::stage::{Stage, reprise};

/// A node: an example of the sources that keeps prices of stocks.
struct Node {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    said: String,
}

impl Node {
    fn start(stage: &Stage, command: &mut Command, name: &'static str, arguments: &[&str]) -> Self {
        let home = stage.folder.path().join(name);
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
            name,
            child,
            input,
            output,
            said: String::new(),
        }
    }

    /// Whether it still listens.
    fn tell(&mut self, line: &str) -> Result<(), Ended> {
        let line = format!("{line}\n");
        let told = self.input.write_all(line.as_bytes());
        told.and_then(|()| self.input.flush()).map_err(|_| Ended)
    }

    /// Tells it something until it says something. A program that is to be weighed is built
    /// first, which takes minutes.
    fn until(&mut self, line: &str, says: &str) -> Result<(), Ended> {
        let started = Instant::now();
        let before = self.said.len();
        loop {
            self.tell(line)?;
            std::thread::sleep(Duration::from_millis(100));
            while let Ok(more) = self.output.try_recv() {
                self.said.push_str(&String::from_utf8_lossy(&more));
            }
            if self.said[before..].contains(says) {
                return Ok(());
            }
            assert!(
                started.elapsed() < Duration::from_secs(1200),
                "{}",
                self.said
            );
        }
    }

    /// How many bytes its process has read so far.
    fn reads(&self) -> u64 {
        let io = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap();
        let mut lines = io.lines();
        let bytes = lines.find_map(|line| line.strip_prefix("rchar: "));
        bytes.unwrap().parse().unwrap()
    }

    fn end(mut self) -> Result<(), Ended> {
        self.tell("quit")?;
        let status = self.child.wait().unwrap();
        if status.success() {
            return Ok(());
        }
        println!("ended      {}: {status}", self.name);
        Err(Ended)
    }
}

impl Drop for Node {
    /// A node whose input ends does so, too; nothing is left running either way.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A node has ended before it was told to.
#[derive(Debug)]
struct Ended;

fn port() -> String {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    address.unwrap().to_string()
}

/// A run of both: how long it took until the client had the last price, and how many bytes the
/// master has read.
struct Ran {
    time: Duration,
    reads: u64,
}

/// Two nodes of a program.
struct Replicas {
    stage: Stage,
    program: String,
}

impl Replicas {
    fn build() -> Option<Self> {
        let stage = debian::stage("replicas")?;
        let cc = reprise().display();
        // A function of theirs has the name of one of the compiler's.
        stage.source(
            "db5.3",
            &format!(
                "sed -i s/__atomic_compare_exchange/__db_compare_exchange/ src/dbinc/atomic.h \
                 && cd build_unix && CC='{cc} cc' CFLAGS=-O1 ../dist/configure -q \
                 --disable-shared --with-mutex=POSIX/pthreads --disable-atomicsupport \
                 && make -s ex_rep_mgr"
            ),
        );
        let program = "./db5.3.src/tree/build_unix/ex_rep_mgr".to_owned();
        Some(Self { stage, program })
    }

    fn plain(&self) -> Command {
        Command::new(self.stage.folder.path().join(&self.program))
    }

    fn record() -> Command {
        let mut command = Command::new(reprise());
        command.args(["record", "-o", "x.reprise", "--", "./prog.cut"]);
        command
    }

    /// A master and a client; both are asked to end when the client has the last price.
    fn try_to_run(&self, mut master: Command, prices: usize) -> Result<Ran, Ended> {
        let (one, other) = (port(), port());
        let stage = &self.stage;
        let mut first = Node::start(stage, &mut master, "first", &["-M", "-L", &one]);
        first.until("", "QUOTESERVER")?;
        let arguments = ["-C", "-l", &other, "-r", &one];
        let mut second = Node::start(stage, &mut self.plain(), "second", &arguments);
        first.until("S0 1", ">")?;
        second.until("", "S0")?;
        let started = Instant::now();
        for number in 1..=prices {
            first.tell(&format!("S{number} {number}"))?;
        }
        second.until("", &format!("S{prices}"))?;
        let time = started.elapsed();
        let reads = first.reads();
        second.end()?;
        first.end()?;
        Ok(Ran { time, reads })
    }

    /// The same, again where a node has ended too early, which is said.
    fn run(&self, master: impl Fn() -> Command, prices: usize) -> Ran {
        for _ in 0..3 {
            let _ = fs::remove_file(self.stage.folder.path().join("x.reprise"));
            match self.try_to_run(master(), prices) {
                Ok(ran) => return ran,
                Err(Ended) => println!("again      a node has ended too early"),
            }
        }
        panic!("a node ends too early each time");
    }
}

#[test]
fn debian_replicas() {
    const MANY: usize = 2_000;
    const ROUNDS: usize = 5;
    const WHOLE: &[&str] = &["--whole-program"];
    let Some(replicas) = Replicas::build() else {
        return;
    };
    let (stage, program) = (&replicas.stage, replicas.program.as_str());
    let weigh = || {
        let mut command = Command::new(reprise());
        command.args(["cut", program, "--weigh", "--", program]);
        command
    };
    replicas.run(weigh, 50);
    for target in [
        &["--target", "repmgr_*.c:*"][..],
        &["--target", "repmgr_net.c:*"],
        WHOLE,
    ] {
        let mut row = stage.cut(program, target, true);
        let mut times = [Vec::new(), Vec::new()];
        let mut reads = 0;
        for _ in 0..ROUNDS {
            let ran = replicas.run(|| replicas.plain(), MANY);
            reads = ran.reads;
            times[0].push(ran.time);
            times[1].push(replicas.run(Replicas::record, MANY).time);
        }
        let [plain, recorded] = times.map(|times| median(times).as_millis());
        let costs = format!("{plain} ms, {recorded} ms for {MANY} prices");
        println!("times      plain and recorded: {costs}");
        row.costs.push(costs);
        stage.replayed(&mut row, reads);
        if target != WHOLE {
            stage.cut(program, target, false);
            replicas.run(Replicas::record, MANY);
            stage.replayed_unweighed(&mut row);
        }
        row.print();
    }
}
