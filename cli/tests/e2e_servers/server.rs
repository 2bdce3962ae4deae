//! httpd with a configuration of our own, on the loopback.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::program;

/// How long something may take on a machine that has much else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Where httpd and its modules are.
pub(crate) const HTTPD: &str = "/usr/sbin/apache2";
const MODULES: &str = "/usr/lib/apache2/modules";

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts httpd in a folder, with an `mpm`, alone or recorded with these options.
    pub(crate) fn start(folder: &Path, mpm: &str, recorded: Option<&[&str]>) -> Self {
        let port = free_port();
        let file = |name: &str| folder.join(name).display().to_string();
        fs::create_dir_all(folder.join("pages")).unwrap();
        let page: String = (0..200).map(|i| format!("<p>line {i}</p>\n")).collect();
        fs::write(folder.join("pages/index.html"), page).unwrap();
        fs::write(folder.join("mime.types"), "text/html html\n").unwrap();
        let configuration = format!(
            "ServerRoot {root}\nServerName localhost\nListen 127.0.0.1:{port}\n\
             PidFile {pid}\nErrorLog {error}\nCustomLog {access} \"%h %t %r %s\"\n\
             DocumentRoot {pages}\nTypesConfig {mime}\nDirectoryIndex index.html\n\
             LoadModule mpm_{mpm}_module {MODULES}/mod_mpm_{mpm}.so\n\
             LoadModule authz_core_module {MODULES}/mod_authz_core.so\n\
             LoadModule mime_module {MODULES}/mod_mime.so\n\
             LoadModule dir_module {MODULES}/mod_dir.so\n\
             StartServers 2\nMaxRequestWorkers 50\nDefaultRuntimeDir {root}\n\
             Mutex file:{root}\n",
            root = folder.display(),
            pid = file("pid"),
            error = file("error.log"),
            access = file("access.log"),
            pages = file("pages"),
            mime = file("mime.types"),
        );
        fs::write(folder.join("httpd.conf"), configuration).unwrap();
        let configuration = file("httpd.conf");
        let httpd = [HTTPD, "-DFOREGROUND", "-f", &configuration];
        let mut command = match recorded {
            None => Command::new(HTTPD),
            Some(_) => Command::new(program()),
        };
        match recorded {
            None => command.args(&httpd[1..]),
            Some(options) => command.arg("record").args(options).arg("--").args(httpd),
        };
        let child = command
            .current_dir(folder)
            .env("XDG_RUNTIME_DIR", folder)
            // When it ends, it tells its whole group to.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(fs::File::create(folder.join("out")).unwrap())
            .stderr(fs::File::create(folder.join("said")).unwrap())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        let begun = Instant::now();
        while server.get().is_none() {
            let said = fs::read_to_string(folder.join("said")).unwrap();
            let errors = fs::read_to_string(folder.join("error.log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "no answer: {said} {errors}");
            sleep(Duration::from_millis(50));
        }
        server
    }

    /// Asks for a page.
    pub(crate) fn get(&self) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.starts_with("HTTP/1.1 200").then_some(answer)
    }

    /// Ends it as its users would.
    pub(crate) fn end(mut self, folder: &Path) {
        let pid = fs::read_to_string(folder.join("pid")).unwrap();
        let ended = Command::new("kill").args(["-TERM", pid.trim()]).status();
        assert!(ended.unwrap().success());
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    /// A study that fails leaves nothing running.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let group = Pid::from_raw(self.child.id().cast_signed());
            let _ = killpg(group, Signal::SIGKILL);
            let _ = self.child.wait();
        }
    }
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
