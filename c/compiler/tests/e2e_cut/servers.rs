//! A server from Debian's sources, over the loopback interface: httpd in one process, with a
//! module as the target each.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::debian;
use super::measure::Log;
use super::paired::{Paired, median_of};
use super::stage::{Stage, reprise};

/// How often plain and recorded servers take turns, and for how long each.
const TURNS: usize = 31;
const TURN: &str = "1s";

/// How long a small page is.
pub(crate) const PAGE: u64 = 8_000;

/// A server that is being recorded, weighed, or just runs.
pub(crate) struct Running {
    child: Child,
    folder: PathBuf,
    pub(crate) port: u16,
}

impl Running {
    /// Its process, by its own word.
    pub(crate) fn process(&self) -> u32 {
        let pid = fs::read_to_string(self.folder.join("pid")).unwrap();
        // The file may be that of an earlier one, and its number somebody else's by now.
        let command = fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap();
        let command = String::from_utf8_lossy(&command).into_owned();
        let config = self.folder.join("conf");
        assert!(
            command.contains(config.to_str().unwrap()),
            "{pid} is {command}"
        );
        pid.trim().parse().unwrap()
    }

    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let asked = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(asked.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }

    /// The requests that are weighed and recorded.
    fn ask(&self, times: usize) {
        let begins = |path: &str, how: &str| {
            let answer = self.get(path);
            let head = String::from_utf8_lossy(&answer[..answer.len().min(400)]).into_owned();
            assert!(head.starts_with(how), "{head}");
            head
        };
        for _ in 0..times {
            let head = begins("/text.txt", "HTTP/1.1 200");
            assert!(head.contains("Content-Encoding: gzip"), "{head}");
            begins("/other/a.txt", "HTTP/1.1 200");
            begins("/old/x", "HTTP/1.1 302");
            begins("/folder/", "HTTP/1.1 200");
        }
    }

    /// As many requests as it answers in a while: how many, and for how long its processor
    /// and that of its recorder were at work.
    fn burst(&self, path: &str) -> Burst {
        let processes = [self.process(), self.child.id()];
        let worked = || processes.map(processor_time);
        let before = worked();
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let mut wrk = Command::new("wrk");
        wrk.args(["-t1", "-c1", "-H", "Accept-Encoding: gzip", "-d", TURN]);
        let started = Instant::now();
        let output = wrk.arg(url).output().unwrap();
        let time = started.elapsed().as_secs_f64();
        let after = worked();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            !said.contains("Non-2xx") && !said.contains("errors"),
            "{said}"
        );
        let mut words = said.split_whitespace().collect::<Vec<_>>().into_iter();
        let mut before_word = None;
        let requests = words.find_map(|word| {
            let found = (word == "requests").then_some(before_word).flatten();
            before_word = word.parse::<f64>().ok();
            found
        });
        let requests = requests.unwrap_or_else(|| panic!("{said}"));
        // Both are the same where nothing records.
        let recorder = if processes[0] == processes[1] {
            0
        } else {
            after[1] - before[1]
        };
        Burst {
            per_second: requests / time,
            server: (after[0] - before[0]) as f64 / requests / 1000.0,
            recorder: recorder as f64 / requests / 1000.0,
        }
    }

    pub(crate) fn end(mut self) {
        let process = self.process().to_string();
        // One that comes just before the server waits for connections is seen after the next.
        let ended = (0..60).find_map(|_| {
            let _ = Command::new("kill").arg(&process).output();
            let until = Instant::now() + Duration::from_secs(2);
            let mut ended = None;
            while ended.is_none() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
                ended = self.child.try_wait().unwrap();
            }
            ended
        });
        assert!(ended.unwrap().success());
    }
}

struct Burst {
    /// Requests per second.
    per_second: f64,
    /// Microseconds of the server's processor time for each.
    server: f64,
    /// The same of the recorder.
    recorder: f64,
}

/// For how many nanoseconds a process, with all its threads, was at work.
fn processor_time(process: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of = |thread: std::io::Result<fs::DirEntry>| -> Option<u64> {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads.filter_map(of).sum()
}

/// The server, built.
pub(crate) struct Httpd {
    pub(crate) stage: Stage,
    pub(crate) program: String,
    /// How many bytes the files have that are read for each round of requests.
    reads: usize,
}

impl Httpd {
    /// Its libraries are built as anybody builds them.
    pub(crate) fn build(stage: Stage) -> Self {
        let root = stage.folder.path().display().to_string();
        let prefix = format!("{root}/prefix");
        let plain = format!("./configure -q --prefix={prefix} --disable-shared CFLAGS=-O1");
        let install = "&& make -s && make -s install";
        stage.source("pcre2", &format!("{plain} {install}"));
        stage.source("apr", &format!("{plain} {install}"));
        stage.source(
            "apr-util",
            &format!("{plain} --with-apr={prefix} {install}"),
        );
        let modules = "alias dir deflate mime log_config authz_core authz_host unixd filter";
        let options = format!(
            "--with-apr={prefix} --with-apr-util={prefix} --with-pcre={prefix}/bin/pcre2-config \
             --with-mpm=prefork --enable-modules=none --enable-mods-static='{modules}'"
        );
        let program = stage.built("apache2", "httpd", &options);
        let at = |name: &str| stage.folder.path().join(name);
        for folder in ["www/files/folder", "www/files/pages", "www/other"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let text: String = (0..40_000).map(|number| format!("{number} ")).collect();
        for file in ["files/text.txt", "files/folder/index.txt", "other/a.txt"] {
            fs::write(at("www").join(file), &text).unwrap();
        }
        let page = text.get(..PAGE as usize).unwrap();
        for file in ["files/page.txt", "files/pages/index.txt", "other/page.txt"] {
            fs::write(at("www").join(file), page).unwrap();
        }
        let reads = 3 * text.len();
        Self {
            stage,
            program,
            reads,
        }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.stage.folder.path().join(name)
    }

    /// Starts it on a port of its own.
    pub(crate) fn run(&self, program: &Path, before: &[&str]) -> Running {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let port = port.unwrap().port();
        let root = self.stage.folder.path().display();
        let folder = self.at(&format!("at{port}"));
        fs::create_dir_all(&folder).unwrap();
        let config = format!(
            "ServerRoot {root}/www\nListen 127.0.0.1:{port}\nServerName localhost\n\
             PidFile {folder}/pid\nErrorLog {folder}/errors\nTypesConfig /dev/null\n\
             AddType text/plain .txt\nMaxKeepAliveRequests 0\n\
             DocumentRoot {root}/www/files\n<Directory />\nRequire all granted\n</Directory>\n\
             Alias /other {root}/www/other\nRedirect /old /folder/\nDirectoryIndex index.txt\n\
             SetOutputFilter DEFLATE\n",
            folder = folder.display()
        );
        fs::write(folder.join("conf"), config).unwrap();
        let mut command = Command::new(program);
        command.args(before).args(["-X", "-f"]);
        command.arg(folder.join("conf"));
        command.current_dir(self.stage.folder.path());
        // Whether the C library gives memory back after each request, for which the kernel takes
        // a tenth of the time, is a matter of what happens to be the last in its heap.
        command.env("MALLOC_TRIM_THRESHOLD_", "200000000");
        command.env("MALLOC_MMAP_THRESHOLD_", "30000000");
        let said = fs::File::create(folder.join("said")).unwrap();
        let child = command.stdin(Stdio::null()).stderr(said).spawn().unwrap();
        let running = Running {
            child,
            folder,
            port,
        };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(600));
            std::thread::sleep(Duration::from_millis(50));
        }
        running
    }

    /// Weighs it with one round of requests.
    pub(crate) fn weigh(&self) {
        let program = self.program.as_str();
        let running = self.run(reprise(), &["cut", program, "--weigh", "--", program]);
        running.ask(1);
        running.end();
    }

    fn record(&self) -> Running {
        let _ = fs::remove_file(self.at("x.reprise"));
        let record = ["record", "-o", "x.reprise", "--", "./prog.cut"];
        self.run(reprise(), &record)
    }

    fn plain(&self) -> Running {
        self.run(&self.at(&self.program), &[])
    }

    /// Both at once, asked in turn: what else the machine does is the same for both. What
    /// is compared are neighbours.
    fn throughput(&self, path: &str) -> String {
        let both = [self.plain(), self.record()];
        for running in &both {
            // The first requests have to wait for more than the others.
            running.ask(1);
            running.burst(path);
        }
        let mut all = Vec::new();
        for turn in 0..TURNS {
            // Each is as often the first of two as the other.
            let first = turn % 2;
            let one = both[first].burst(path);
            let other = both[1 - first].burst(path);
            all.push(match first {
                0 => [one, other],
                _ => [other, one],
            });
        }
        both.into_iter().for_each(Running::end);
        let compared = |what: fn(&Burst) -> f64| {
            let pairs: Vec<[f64; 2]> = all.iter().map(|pair| pair.each_ref().map(what)).collect();
            let [plain, recorded] = [0, 1].map(|at| pairs.iter().map(|pair| pair[at]).collect());
            let [plain, recorded] = [plain, recorded].map(median_of);
            (plain, recorded, Paired::of(&pairs))
        };
        let (plain, recorded, paired) = compared(|one| one.per_second);
        let (server, server_recorded, worked) = compared(|one| one.server);
        let recorder = median_of(all.iter().map(|pair| pair[1].recorder).collect());
        let said = format!(
            "{path}: plain {plain:.0} requests per second, recorded {recorded:.0}: {paired}; the \
             server's processor time for each {server:.1} and {server_recorded:.1} us: {worked}; \
             the recorder's {recorder:.1} us"
        );
        println!("speed      {said}");
        said
    }
}

/// How many rounds of requests are recorded.
const REQUESTS: usize = 25;

impl Httpd {
    /// Records them, of the program that was cut last.
    fn recorded(&self) {
        let running = self.record();
        running.ask(REQUESTS);
        running.end();
    }
}

/// The log of a module beside that of the whole program, which is all that is said here of either.
#[test]
fn debian_logs() {
    let Some(stage) = debian::stage("httpd") else {
        return;
    };
    let httpd = Httpd::build(stage);
    httpd.weigh();
    let reads = (REQUESTS * httpd.reads) as u64;
    let targets: [&[&str]; 2] = [&["--target", "mod_deflate.c:*"], &["--whole-program"]];
    let [module, whole] = targets.map(|target| {
        let mut row = httpd.stage.cut(&httpd.program, target, true);
        httpd.recorded();
        httpd.stage.replayed(&mut row, reads);
        row.print();
        httpd.stage.log()
    });
    let times = |of: fn(&Log) -> u64| of(&whole) as f64 / of(&module) as f64;
    println!(
        "smaller    {:.1} times in bytes, {:.1} times in events, {:.1} times as stored",
        times(|log| log.bytes),
        times(|log| log.events),
        times(|log| log.stored)
    );
}

#[test]
fn debian_httpd() {
    let Some(stage) = debian::stage("httpd") else {
        return;
    };
    let httpd = Httpd::build(stage);
    let program = httpd.program.as_str();
    httpd.weigh();
    let recorded = || httpd.recorded();
    let reads = (REQUESTS * httpd.reads) as u64;
    for (target, paths) in [
        (
            &["--target", "mod_alias.c:*"][..],
            ["/other/page.txt", "/other/a.txt"],
        ),
        (&["--target", "mod_dir.c:*"], ["/pages/", "/folder/"]),
        (&["--target", "mod_deflate.c:*"], ["/page.txt", "/text.txt"]),
        (&["--whole-program"], ["", ""]),
    ] {
        let mut row = httpd.stage.cut(program, target, true);
        if target == ["--whole-program"] {
            // As far as it goes.
            recorded();
            httpd.stage.as_far_as_it_goes(&mut row, reads);
            row.print();
            continue;
        }
        recorded();
        httpd.stage.replayed(&mut row, reads);
        for path in paths {
            row.costs.push(httpd.throughput(path));
        }
        httpd.stage.cut(program, target, false);
        recorded();
        httpd.stage.replayed_unweighed(&mut row);
        row.print();
    }
}
