//! How many instructions a server executes for a request: plain, cut and not recorded, recorded.
//!
//! They are counted by callgrind, which finds the same number whatever else the machine does, so that
//! a percent can be told from nothing; of processor time, on a machine that others use and with a
//! server that is at other addresses each time, it cannot. It imitates caches and guesses of a
//! processor, too. What the kernel does for a request is not counted, and is the same for all three.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use super::debian;
use super::servers::{Httpd, PAGE, Running};
use super::stage::{done, reprise};

/// Requests before it is counted: the first have to wait for more than the others.
const FIRST: u64 = 20;
/// Requests that are counted.
const COUNTED: u64 = 100;

/// The processor whose caches are imitated: 32 KiB each for code and data, 1 MiB behind them.
const CACHES: [&str; 5] = [
    "--cache-sim=yes",
    "--branch-sim=yes",
    "--I1=32768,8,64",
    "--D1=32768,8,64",
    "--LL=1048576,16,64",
];

impl Running {
    /// Requests over one connection, one by one.
    fn ask_in_a_row(&self, path: &str, times: u64) {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        let asked =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
        for _ in 0..times {
            stream.write_all(asked.as_bytes()).unwrap();
            let head = head(&mut answers);
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            assert!(head.contains("Content-Encoding: gzip"), "{head}");
            body(&mut answers, &head);
        }
    }
}

/// The head of an answer.
fn head(answers: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(answers.read_line(&mut head).unwrap(), 0, "{head}");
    }
    head
}

/// Its body, which has a length, or pieces with a length each up to an empty one.
fn body(answers: &mut BufReader<TcpStream>, head: &str) {
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    if let Some(length) = length {
        skip(answers, length.trim().parse().unwrap());
        return;
    }
    loop {
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim(), 16).unwrap();
        skip(answers, length + 2);
        if length == 0 {
            return;
        }
    }
}

fn skip(answers: &mut BufReader<TcpStream>, length: usize) {
    answers.read_exact(&mut vec![0; length]).unwrap();
}

/// What is counted.
#[derive(Clone, Copy)]
enum How {
    Plain,
    Cut,
    Recorded,
}

/// What a server does for a request.
#[derive(Clone, Copy)]
struct Done {
    instructions: f64,
    /// How often code, or data, was not where the processor has it at once.
    missed: [f64; 2],
    /// How often it went on elsewhere than was guessed.
    guessed_wrong: f64,
}

impl Done {
    /// From what callgrind writes: the names of what is counted, and the sums.
    fn read(text: &str) -> Self {
        let line = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap().split_whitespace().collect::<Vec<_>>()
        };
        let (names, sums) = (line("events: "), line("totals: "));
        let sum = |name: &str| {
            let at = names.iter().position(|one| *one == name).unwrap();
            // What is zero at the end is not there.
            let sum = sums.get(at).map_or(0, |sum| sum.parse::<u64>().unwrap());
            sum as f64 / COUNTED as f64
        };
        Self {
            instructions: sum("Ir"),
            missed: [sum("I1mr"), sum("D1mr") + sum("D1mw")],
            guessed_wrong: sum("Bcm") + sum("Bim"),
        }
    }

    /// The same beside what the plain server does.
    fn beside(self, plain: Self) -> String {
        let percent = 100.0 * (self.instructions / plain.instructions - 1.0);
        let more = |of: fn(Self) -> f64| of(self) - of(plain);
        format!(
            "{:.0} instructions ({percent:+.2} %), {:+.0} times code and {:+.0} times data from the \
             second cache, {:+.0} wrong guesses",
            self.instructions,
            more(|done| done.missed[0]),
            more(|done| done.missed[1]),
            more(|done| done.guessed_wrong)
        )
    }
}

impl Httpd {
    /// What the server does for a request.
    fn counted(&self, how: How, path: &str) -> Done {
        let folder = self.at("counted");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let _ = fs::remove_file(self.at("x.reprise"));
        let out = format!("--callgrind-out-file={}/%p", folder.display());
        let reprise = reprise().to_str().unwrap();
        let counted = match how {
            How::Plain => vec!["./plain.bare"],
            How::Cut => vec!["./cut.bare"],
            // The recorder is looked at, too, since it starts the server. Its count is another file.
            How::Recorded => vec![reprise, "record", "-o", "x.reprise", "--", "./cut.bare"],
        };
        // Old ones of it do not understand what a new compiler says for debuggers.
        for (from, to) in [(&*self.program, "plain.bare"), ("prog.cut", "cut.bare")] {
            let mut strip = Command::new("objcopy");
            done(
                strip
                    .arg("--strip-debug")
                    .args([self.at(from), self.at(to)]),
            );
        }
        let mut valgrind = vec!["-q", "--tool=callgrind", "--trace-children=yes", &out];
        valgrind.extend(CACHES.iter().chain(&counted));
        let running = self.run(Path::new("valgrind"), &valgrind);
        running.ask_in_a_row(path, FIRST);
        let process = running.process();
        let tell = |what: &str| {
            let process = format!("--pid={process}");
            done(Command::new("vgdb").args([&*process, what]));
        };
        tell("zero");
        running.ask_in_a_row(path, COUNTED);
        tell("dump");
        running.end();
        Done::read(&fs::read_to_string(folder.join(format!("{process}.1"))).unwrap())
    }
}

/// The modules that are targets, and a page of 8 kB that goes through each.
#[test]
fn debian_instructions() {
    let Some(stage) = debian::stage("httpd") else {
        return;
    };
    let httpd = Httpd::build(stage);
    httpd.weigh();
    for (target, path) in [
        ("mod_deflate.c:*", "/page.txt"),
        ("mod_alias.c:*", "/other/page.txt"),
        ("mod_dir.c:*", "/pages/"),
    ] {
        let mut row = httpd.stage.cut(&httpd.program, &["--target", target], true);
        let [plain, cut, recorded] =
            [How::Plain, How::Cut, How::Recorded].map(|how| httpd.counted(how, path));
        let said = format!(
            "{path}, for each request: plain {:.0} instructions; cut and not recorded {}; recorded {}",
            plain.instructions,
            cut.beside(plain),
            recorded.beside(plain)
        );
        println!("counted    {said}");
        row.costs.push(said);
        // What was recorded while it was counted is a recording like others.
        let read = (FIRST + COUNTED) * PAGE;
        httpd.stage.replayed(&mut row, read);
        row.print();
    }
}

/// What callgrind writes, without what it leaves out.
#[test]
fn counts_are_read() {
    let text =
        "version: 1\nevents: Ir Dr I1mr D1mr D1mw Bcm Bim\nfn=x\n1 2\ntotals: 300 7 200 50 50\n";
    let done = Done::read(text);
    assert_eq!([done.instructions, done.guessed_wrong], [3.0, 0.0]);
    assert_eq!(done.missed, [2.0, 1.0]);
}
