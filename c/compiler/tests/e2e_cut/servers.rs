//! A client and a server from Debian's sources, over the loopback interface.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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

/// wget: what it takes to replay its part for HTTP, which hardly looks at what it
/// loads. Weighed with a small file, recorded with a large one. Takes minutes.
#[test]
fn debian_wget() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let stage = Stage {
        folder: tempfile::tempdir().unwrap(),
    };
    let options = "--without-ssl --without-zlib --disable-nls --without-libpsl --disable-iri \
                   --disable-ntlm --without-metalink --without-cares --without-libuuid";
    let wget = stage.built("wget", "src/wget", options);
    let url = |len: usize| {
        let body: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
        format!("http://127.0.0.1:{}/", serve(body))
    };
    let (small, large) = (url(20_000), url(8 << 20));
    let get = |url: &'static str| vec!["-q", "-O", "-", url];
    let (small, large) = (get(small.leak()), get(large.leak()));
    println!("it reads 8388608 bytes of content");
    for target in [
        &["--target", "http.c:*"][..],
        &["--target", "url.c:*"],
        &["--whole-program"],
    ] {
        stage.compare(&wget, &small, &large, target);
    }
}

/// A server that is being recorded or weighed.
struct Running {
    child: Child,
    port: u16,
}

impl Running {
    fn start(stage: &Stage, arguments: &[&str], port: u16) -> Self {
        let child = Command::new(reprise())
            .args(arguments)
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
        let program = fs::read_link(format!("/proc/{}/exe", pid.trim())).unwrap();
        let root = stage.folder.path().canonicalize().unwrap();
        assert!(program.starts_with(root), "{pid} is {}", program.display());
        done(Command::new("kill").arg(pid.trim()));
        assert!(self.child.wait().unwrap().success());
    }
}

/// httpd in one process, with a module as the target each. Its libraries are built as
/// anybody builds them. Takes many minutes.
#[test]
fn debian_httpd() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let stage = Stage {
        folder: tempfile::tempdir().unwrap(),
    };
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
    let serve = ["-X", "-f", &format!("{root}/www/conf")];
    let weigh = [&["cut", &httpd, "--weigh", "--", &httpd], &serve[..]].concat();
    let running = Running::start(&stage, &weigh, port);
    running.ask(1);
    running.end(&stage);
    for target in ["mod_alias.c:*", "mod_dir.c:*", "mod_deflate.c:*"] {
        for old in ["prog.cut", "x.reprise"] {
            let _ = fs::remove_file(at(old));
        }
        let (said, _) = stage.run(&["cut", &httpd, "--target", target, "-o", "prog.cut"]);
        let said: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
        println!("--- httpd --target {target}\n{}", said.join("\n"));
        let record = ["record", "-o", "x.reprise", "--", "./prog.cut"];
        let running = Running::start(&stage, &[&record, &serve[..]].concat(), port);
        running.ask(25);
        running.end(&stage);
        println!(
            "100 requests for files of {} bytes, and redirections",
            text.len()
        );
        stage.replayed();
    }
}
