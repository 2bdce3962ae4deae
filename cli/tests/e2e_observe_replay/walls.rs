//! The JVM that plays can open nothing, reach nothing and start nothing.

use std::fs;
use std::net::TcpListener;

use crate::stage::{compile, jdk, reprise};

/// Tries what a stranger's classes must not be able to do.
const TRIES: &str = r#"
import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Main {
    interface Try { void run() throws Exception; }

    static void attempt(String what, Try attempt) {
        try {
            attempt.run();
            System.out.println(what + ": done");
        } catch (Throwable refused) {
            System.out.println(what + ": refused");
        }
    }

    public static void main(String[] args) throws Exception {
        attempt("think", () -> Thread.sleep(1));
        attempt("thread", () -> { Thread t = new Thread(() -> { }); t.start(); t.join(); });
        attempt("read", () -> Files.readAllBytes(Paths.get(args[0])));
        attempt("list", () -> Files.list(Paths.get("/home")).close());
        attempt("write", () -> Files.write(Paths.get(args[0] + "2"), new byte[1]));
        attempt("delete", () -> Files.delete(Paths.get(args[0])));
        attempt("connect", () -> new Socket("127.0.0.1", Integer.parseInt(args[1])).close());
        attempt("listen", () -> new ServerSocket(0).close());
        attempt("process", () -> new ProcessBuilder("/bin/true").start().waitFor());
    }
}
"#;

#[test]
fn the_walls_hold() {
    let folder = tempfile::tempdir().unwrap();
    let classes = folder.path().join("classes");
    compile(TRIES, &classes);
    let secret = folder.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let run = |guard: &[&str]| {
        let mut command = match guard {
            [] => std::process::Command::new(jdk("java")),
            guard => {
                let mut command = reprise();
                command.args(guard).arg(jdk("java"));
                command
            }
        };
        let output = command
            .args(["-XX:-UsePerfData", "-cp"])
            .arg(&classes)
            .arg("Main")
            .arg(&secret)
            .arg(&port)
            .env_remove("JAVA_TOOL_OPTIONS")
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let walled = run(&["__jvm", "300", "0"]);
    let expected = "think: done\nthread: done\nread: refused\nlist: refused\nwrite: refused\n\
                    delete: refused\nconnect: refused\nlisten: refused\nprocess: refused\n";
    assert_eq!(walled, expected);
    // The test is one only if all of that works without walls.
    assert!(!run(&[]).contains("refused"));
}
