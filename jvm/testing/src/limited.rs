//! Commands that may hang: a test that waits for one for ever fails nobody.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Far longer than any command of a test takes on a machine that is merely busy.
const LIMIT: Duration = Duration::from_secs(240);

/// Runs a command with everything that it starts; fails the test when that takes too
/// long, and ends them.
pub fn output(command: &mut Command) -> Output {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let group = child.id();
    let out = reader(child.stdout.take().unwrap());
    let err = reader(child.stderr.take().unwrap());
    let (sender, ended) = channel();
    let waiter = thread::spawn(move || sender.send(child.wait()));
    let Ok(status) = ended.recv_timeout(LIMIT) else {
        let killed = Command::new("kill")
            .args(["-9", "--", &format!("-{group}")])
            .status();
        let _ = waiter.join();
        let said = [out.join().unwrap(), err.join().unwrap()];
        let said = said.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        panic!("{command:?} took more than {LIMIT:?} ({killed:?}): {said:?}");
    };
    Output {
        status: status.unwrap(),
        stdout: out.join().unwrap(),
        stderr: err.join().unwrap(),
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}
