//! The paper's servers and a program with windows, with segments of several lengths:
//! asked for as much as they can give, forced to fail, written, and replayed in a root
//! with nothing but `reprise`, and in that of another system if `LAST_ROOT` names one.

use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::{Group, Root, replay_all};
use crate::server::{HTTPD, PATIENCE};
use crate::{is_there, program, reprise};

const INTERVALS: [&str; 4] = ["125ms", "500ms", "1s", "4s"];

/// A program, what asks it, and how.
struct Asked {
    name: &'static str,
    needs: &'static [&'static str],
    /// The content of a file `conf`; ROOT is its folder and PORT a free one.
    configuration: &'static str,
    command: &'static str,
    /// Asks for six seconds, and says how often in each.
    load: &'static str,
}

const WRK: &str = "wrk -t1 -c4 -d6s --timeout 60s http://127.0.0.1:PORT/text | \
                   sed -n 's/Requests.sec: *//p'";

const ALL: &[Asked] = &[
    Asked {
        name: "httpd, prefork",
        needs: &[HTTPD, "wrk"],
        configuration: "ServerRoot ROOT\nServerName here\nListen 127.0.0.1:PORT\nPidFile \
                        ROOT/pid\nErrorLog ROOT/log\nDocumentRoot ROOT\nDefaultRuntimeDir ROOT\n\
                        Mutex file:ROOT\nLoadModule mpm_prefork_module \
                        /usr/lib/apache2/modules/mod_mpm_prefork.so\nLoadModule \
                        authz_core_module /usr/lib/apache2/modules/mod_authz_core.so\n",
        command: "/usr/sbin/apache2 -X -f ROOT/conf",
        load: WRK,
    },
    Asked {
        name: "httpd, event",
        needs: &[HTTPD, "wrk"],
        configuration: "ServerRoot ROOT\nServerName here\nListen 127.0.0.1:PORT\nPidFile \
                        ROOT/pid\nErrorLog ROOT/log\nDocumentRoot ROOT\nDefaultRuntimeDir ROOT\n\
                        Mutex file:ROOT\nLoadModule mpm_event_module \
                        /usr/lib/apache2/modules/mod_mpm_event.so\nLoadModule \
                        authz_core_module /usr/lib/apache2/modules/mod_authz_core.so\n",
        command: "/usr/sbin/apache2 -X -f ROOT/conf",
        load: WRK,
    },
    Asked {
        name: "nginx",
        needs: &["nginx", "wrk"],
        configuration: "worker_processes 1; daemon off; master_process off; pid ROOT/pid; \
                        error_log ROOT/log; events { } http { access_log off; \
                        client_body_temp_path ROOT/t; proxy_temp_path ROOT/t; \
                        fastcgi_temp_path ROOT/t; uwsgi_temp_path ROOT/t; scgi_temp_path ROOT/t; \
                        server { listen 127.0.0.1:PORT; root ROOT; } }",
        command: "nginx -c ROOT/conf",
        load: WRK,
    },
    Asked {
        name: "squid",
        needs: &["squid", "wrk"],
        configuration: "http_port 127.0.0.1:PORT\npid_filename ROOT/pid\naccess_log none\n\
                        cache_log ROOT/log\ncache deny all\nhttp_access allow all\n\
                        pinger_enable off\nunique_hostname here\n",
        command: "squid -N -f ROOT/conf",
        load: WRK,
    },
    Asked {
        name: "redis",
        needs: &["redis-server", "redis-benchmark"],
        configuration: "bind 127.0.0.1\nport PORT\nsave \"\"\ndir ROOT\n",
        command: "redis-server ROOT/conf",
        load: "timeout 60 redis-benchmark -p PORT -c 4 -n 6000 -t set,get -q | tr '\\r' '\\n' | \
               sed -n 's/^GET: \\([0-9.]*\\) req.*/\\1/p' | tail -1",
    },
    Asked {
        name: "gv",
        needs: &["gv", "Xvfb", "gs"],
        configuration: "%!\n100 100 moveto 300 300 lineto stroke showpage\n",
        command: "gv -display :77 ROOT/conf",
        load: "sleep 6; echo -",
    },
];

fn start(folder: &Path, asked: &Asked, port: &str, recorded: Option<&str>) -> Child {
    let root = folder.display().to_string();
    let fill = |text: &str| text.replace("PORT", port).replace("ROOT", &root);
    fs::write(folder.join("conf"), fill(asked.configuration)).unwrap();
    let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
    fs::write(folder.join("text"), lines).unwrap();
    let opened = Command::new("chmod").arg("777").arg(folder).status();
    assert!(opened.unwrap().success());
    let command = fill(asked.command);
    let words: Vec<&str> = command.split_whitespace().collect();
    let mut started = match recorded {
        None => Command::new(words[0]),
        Some(_) => Command::new(program()),
    };
    match recorded {
        None => started.args(&words[1..]),
        Some(interval) => started
            .args(["record", "--last", "1s", "--interval", interval])
            .args(["-o", "run.reprise", "--"])
            .args(words),
    };
    started
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join("said")).unwrap())
        .spawn()
        .unwrap()
}

/// Waits until it listens, and asks.
fn ask(asked: &Asked, port: &str, folder: &Path) -> String {
    let begun = Instant::now();
    let listens = || std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok();
    while asked.name != "gv" && !listens() {
        let said = fs::read_to_string(folder.join("said")).unwrap();
        assert!(begun.elapsed() < PATIENCE, "{}: {said}", asked.name);
        sleep(Duration::from_millis(100));
    }
    let load = asked.load.replace("PORT", port);
    let output = Command::new("bash").args(["-c", &load]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn number(text: &str, field: &str) -> u64 {
    let rest = text.split(&format!("\"{field}\":")).nth(1).unwrap_or("");
    let rest = rest.trim_start();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn one(asked: &Asked, roots: &[(&str, Root)]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let alone = TempDir::new().unwrap();
    let group = Group(start(alone.path(), asked, &port, None));
    let free = ask(asked, &port, alone.path());
    drop(group);
    for interval in INTERVALS {
        let folder = TempDir::new().unwrap();
        let folder = folder.path();
        let mut group = Group(start(folder, asked, &port, Some(interval)));
        let rate = ask(asked, &port, folder);
        let status = reprise(folder, &["status", "--json"]);
        let status = String::from_utf8(status.stdout).unwrap();
        let subject = number(&status, "subject").to_string();
        let before = Instant::now();
        let told = Command::new("kill").args(["-ABRT", &subject]).status();
        assert!(told.unwrap().success());
        group.0.wait().unwrap();
        let dump = before.elapsed().as_secs_f64();
        drop(group);
        let file = folder.join("run.reprise");
        let said = fs::read_to_string(folder.join("said")).unwrap();
        if !file.exists() {
            println!("{:<15} {interval:>6}  no recording: {said}", asked.name);
            continue;
        }
        let shown = reprise(folder, &["show", "--json", "run.reprise"]);
        let shown = String::from_utf8(shown.stdout).unwrap();
        let memory = shown.split("\"memory\"").nth(1).unwrap_or("");
        let mut line = format!(
            "{:<15} {interval:>6}  {free:>9} /s alone, {rate:>8} recorded  end and dump {dump:>5.2} s  \
             {:>8} bytes: {} of {} pages {}, {} events {} ",
            asked.name,
            fs::metadata(&file).unwrap().len(),
            number(memory, "pages"),
            number(memory, "pages") + number(memory, "left_out"),
            number(memory, "page_bytes"),
            number(&shown, "events"),
            number(memory, "event_bytes"),
        );
        for (name, root) in roots {
            let replayed = replay_all(Some(root), folder, &file);
            let good = replayed.processes - replayed.wrong.len();
            line += &format!(
                " {name}: {good} of {} in {:.2} s;",
                replayed.processes,
                replayed.took.as_secs_f64()
            );
            for wrong in replayed.wrong {
                line += &wrong;
            }
        }
        if said.contains("unverified") {
            line += " unverified";
        }
        println!("{line}");
    }
}

#[test]
fn moments() {
    let Ok(wanted) = std::env::var("LAST_SERVERS") else {
        println!("skipped: LAST_SERVERS=1 runs all of them, a name one");
        return;
    };
    let mut roots = Vec::new();
    let Some(empty) = Root::new() else {
        println!("skipped: only root can make another one");
        return;
    };
    roots.push(("empty root", empty));
    if let Ok(other) = std::env::var("LAST_ROOT") {
        roots.push(("another system's", Root::of(other.into())));
    }
    let _screen = is_there("Xvfb").then(|| {
        let screen = Command::new("Xvfb")
            .args([":77", "-screen", "0", "800x600x24"])
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Group(screen.unwrap())
    });
    for asked in ALL {
        let is_wanted = wanted == "1" || wanted == asked.name;
        if is_wanted && asked.needs.iter().all(|program| is_there(program)) {
            one(asked, &roots);
        }
    }
}
