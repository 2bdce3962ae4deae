//! A JVM that is killed leaves a spool, and the spool has everything.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use reprise_recording::spool::{Recovered, recover};

use crate::support;

const PROGRAM: &str = r#"
public class Main {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1000; i++) Inside.twice(i);
        System.out.println("ready");
        Thread.sleep(60_000);
    }
}
class Inside {
    static int twice(int i) { return 2 * i; }
}
"#;

#[test]
fn what_was_recorded_before_a_kill_is_recovered() {
    for java in support::jdks() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Main.java"), PROGRAM).unwrap();
        support::compile(dir.path(), dir.path(), Path::new("."));
        let mut child = Command::new(&java)
            .arg(support::agent("observe=Inside,out=x.reprise"))
            .args(["-cp", ".", "Main"])
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        child.kill().unwrap();
        child.wait().unwrap();

        let path = dir.path().join("x.reprise");
        assert!(matches!(recover(&path), Ok(Recovered::Added(_))));
        let recorded = support::read(&path);
        let (_, lines) = &recorded.threads[0];
        assert_eq!(lines.len(), 2000);
        assert_eq!(lines[1998], "INCALL Inside.twice(999)");
        assert_eq!(lines[1999], "INCALLRET 1998");
    }
}
