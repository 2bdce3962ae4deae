//! A client and a server from Debian's sources, over the loopback interface.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::debian;
use super::measure::{Case, ROUNDS, median, with};
use super::stage::{Stage, done, reprise};

/// Serves `body` to everybody who asks, until the test ends.
fn serve(body: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = Vec::new();
            let mut bytes = [0; 4096];
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(len @ 1..) => asked.extend_from_slice(&bytes[..len]),
                    _ => break,
                }
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    port
}

/// A URL on the loopback interface with so many bytes of content.
fn url(len: usize) -> String {
    let body: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
    format!("http://127.0.0.1:{}/", serve(body))
}

/// wget: what it takes to replay its part for HTTP, which hardly looks at what it
/// loads.
#[test]
fn debian_wget() {
    const LEN: usize = 8 << 20;
    let Some(stage) = debian::stage() else { return };
    let options = "--without-ssl --without-zlib --disable-nls --without-libpsl --disable-iri \
                   --disable-ntlm --without-metalink --without-cares --without-libuuid";
    let (small, large) = (url(20_000), url(LEN));
    let (small, large) = (["-q", "-O", "-", &small], ["-q", "-O", "-", &large]);
    let wget = Case {
        program: &stage.built("wget", "src/wget", options),
        small: with(&small),
        large: with(&large),
        reads: LEN as u64,
    };
    for target in [
        &["--target", "http.c:*"][..],
        &["--target", "url.c:*"],
        &["--whole-program"],
    ] {
        stage.compare(wget, target);
    }
}

/// neon, a library that speaks HTTP, with a client that ignores what it loads: in the
/// paper that is the case where nothing of the content has to be in the log.
#[test]
fn debian_neon() {
    const LEN: usize = 400 << 10;
    let Some(stage) = debian::stage() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_cut/neon.c");
    let cc = reprise().display();
    stage.source(
        "neon27",
        &format!(
            "CC='{cc} cc' ./configure -q --disable-shared --disable-nls --disable-webdav \
             --without-ssl --without-zlib --without-gssapi --without-libproxy \
             && make -s -C src && {cc} cc -O1 -DHAVE_CONFIG_H -Isrc -o get {} src/.libs/libneon.a",
            source.display()
        ),
    );
    let (small, large) = (url(20_000), url(LEN));
    let (small, large) = ([small.as_str(), "2"], [large.as_str(), "40"]);
    let neon = Case {
        program: "./neon27.src/tree/get",
        small: with(&small),
        large: with(&large),
        reads: 40 * LEN as u64,
    };
    for target in [&["--target", "ne_request.c:*"][..], &["--whole-program"]] {
        stage.compare(neon, target);
    }
}

/// A server that is being recorded or weighed.
struct Running {
    child: Child,
    port: u16,
}

impl Running {
    fn start(stage: &Stage, command: &mut Command, port: u16) -> Self {
        let child = command
            .current_dir(stage.folder.path())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let one = Self { child, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(300));
            std::thread::sleep(Duration::from_millis(50));
        }
        one
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

    fn end(mut self, stage: &Stage) {
        let pid = fs::read_to_string(stage.folder.path().join("www/pid")).unwrap();
        // The file may be that of an earlier one, and its number somebody else's by now.
        let command = fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap();
        let command = String::from_utf8_lossy(&command).into_owned();
        let config = stage.folder.path().join("www/conf");
        assert!(
            command.contains(config.to_str().unwrap()),
            "{pid} is {command}"
        );
        done(Command::new("kill").arg(pid.trim()));
        assert!(self.child.wait().unwrap().success());
    }
}

/// httpd in one process, with a module as the target each. Its libraries are
/// built as anybody builds them.
#[test]
fn debian_httpd() {
    const REQUESTS: usize = 25;
    let Some(stage) = debian::stage() else { return };
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
    let httpd = stage.built("apache2", "httpd", &options);
    let at = |name: &str| stage.folder.path().join(name);
    for folder in ["www/files/folder", "www/other"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    let text: String = (0..40_000).map(|number| format!("{number} ")).collect();
    for file in ["files/text.txt", "files/folder/index.txt", "other/a.txt"] {
        fs::write(at("www").join(file), &text).unwrap();
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let port = port.unwrap().port();
    let config = format!(
        "ServerRoot {root}/www\nListen 127.0.0.1:{port}\nServerName localhost\nPidFile pid\n\
         ErrorLog errors\nTypesConfig /dev/null\nAddType text/plain .txt\n\
         DocumentRoot {root}/www/files\n<Directory />\nRequire all granted\n</Directory>\n\
         Alias /other {root}/www/other\nRedirect /old /folder/\nDirectoryIndex index.txt\n\
         SetOutputFilter DEFLATE\n"
    );
    fs::write(at("www/conf"), config).unwrap();
    let run = |program: &Path, before: &[&str]| {
        let mut command = Command::new(program);
        command.args(before).args(["-X", "-f"]).arg(at("www/conf"));
        Running::start(&stage, &mut command, port)
    };
    let running = run(reprise(), &["cut", &httpd, "--weigh", "--", &httpd]);
    running.ask(1);
    running.end(&stage);
    let record = || {
        let _ = fs::remove_file(at("x.reprise"));
        run(
            reprise(),
            &["record", "-o", "x.reprise", "--", "./prog.cut"],
        )
    };
    let timed = |running: Running| {
        // The first request has to wait for more than the others.
        running.ask(1);
        let started = Instant::now();
        running.ask(REQUESTS);
        let time = started.elapsed();
        running.end(&stage);
        time
    };
    let reads = 3 * (REQUESTS + 1) * text.len();
    for target in [
        &["--target", "mod_alias.c:*"][..],
        &["--target", "mod_dir.c:*"],
        &["--target", "mod_deflate.c:*"],
        &["--whole-program"],
    ] {
        stage.cut(&httpd, target, true);
        if target == ["--whole-program"] {
            // As far as it goes.
            timed(record());
            stage.as_far_as_it_goes();
            continue;
        }
        let (mut plain, mut recorded) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plain.push(timed(run(&at(&httpd), &[])));
            recorded.push(timed(record()));
        }
        stage.replayed(reads as u64);
        let speed = |times| 4.0 * REQUESTS as f64 / median(times).as_secs_f64();
        let (plain, recorded) = (speed(plain), speed(recorded));
        println!(
            "speed      plain {plain:.0} requests per second, recorded {recorded:.0}: {:.1} % less",
            100.0 * (1.0 - recorded / plain)
        );
        stage.cut(&httpd, target, false);
        timed(record());
        stage.replayed_unweighed();
        println!();
    }
}
