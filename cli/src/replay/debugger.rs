//! A debugger on the replay of a process: gdb, or whoever connects to a port.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use reprise_gdb::{Files, Gone, ServeError, Wire, serve};
use reprise_player::{Halt, Limits, Opened, Session};
use reprise_recording::Recording;

use super::process::explain;
use super::{Output, Request, failure};
use crate::doctor::programs::find;
use crate::failure::{Failure, Status};
use crate::say::say;

/// How a replay is looked at.
#[derive(Clone, Debug, Default)]
pub struct Debug {
    /// The port for a client; without one gdb is started.
    pub port: Option<u16>,
    /// A folder with programs and libraries that have symbols.
    pub symbols: Option<PathBuf>,
    /// Where to begin.
    pub goto: Option<Goto>,
    /// What gdb is told beside what it has to be told.
    pub arguments: Vec<OsString>,
}

/// A place to begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goto {
    /// Where this event has just happened.
    Event(u64),
    /// The end of the recording.
    End,
}

/// How long gdb may take to connect.
const PATIENCE: Duration = Duration::from_millis(20);

pub(super) fn debug(
    request: &Request,
    debug: &Debug,
    recording: &Recording,
    limits: &Limits,
) -> Result<Status, Failure> {
    let mut output = Output::open(request)?;
    let failed = |error| explain(request, recording, &error);
    let opened = Opened::new(recording, request.process).map_err(failed)?;
    let mut show = |wrote: reprise_player::Wrote<'_>| output.write(wrote.to_stderr, wrote.bytes);
    let mut session = Session::new(&opened, limits, &mut show).map_err(failed)?;
    go_to(&mut session, debug.goto).map_err(failed)?;
    let files = Files {
        symbols: debug.symbols.clone(),
    };
    match debug.port {
        Some(port) => listen(request, &mut session, &opened, &files, port),
        None => start(request, debug, &mut session, &opened, &files),
    }
    .map_err(|error| match error {
        Trouble::Serve(ServeError::Play(error)) => explain(request, recording, &error),
        Trouble::Serve(error) => failure(request, error),
        Trouble::Failure(failure) => failure,
    })
}

enum Trouble {
    Serve(ServeError),
    Failure(Failure),
}

type Here<'r, 'o> = Session<'r, 'o, std::fs::File>;

fn go_to(session: &mut Here<'_, '_>, goto: Option<Goto>) -> Result<(), reprise_player::PlayError> {
    let halt = match goto {
        None => return Ok(()),
        Some(Goto::Event(event)) => {
            let (first, last) = session.events();
            if !(first..=last).contains(&event) {
                say(&format!(
                    "there is no event {event}: it has those from {first} to {last}, and this is \
                     the nearest"
                ));
            }
            session.go_to(event)?
        }
        Some(Goto::End) => session.go_on(&mut || false)?,
    };
    if let Halt::Trouble(trouble) = halt {
        say(&trouble);
    }
    Ok(())
}

/// Waits for clients on a port, one after another, until one of them ends it.
fn listen(
    request: &Request,
    session: &mut Here<'_, '_>,
    opened: &Opened<'_, std::fs::File>,
    files: &Files,
    port: u16,
) -> Result<Status, Trouble> {
    let doing = |error: io::Error| Trouble::Failure(failure(request, error));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(doing)?;
    let port = listener.local_addr().map_err(doing)?.port();
    say(&format!(
        "waiting for a debugger: gdb -ex 'target remote localhost:{port}'; \
         kill in gdb ends the replay"
    ));
    loop {
        let (stream, _) = listener.accept().map_err(doing)?;
        match serve(session, opened, files, Wire::from(stream), &mut say) {
            Ok(Gone::Killed) => return Ok(Status::Done),
            Ok(Gone::Detached) => say("the debugger has gone; another may come"),
            Err(error @ ServeError::Play(_)) => return Err(Trouble::Serve(error)),
            Err(error) => say(&error.to_string()),
        }
    }
}

/// Starts gdb and serves it until it ends.
fn start(
    request: &Request,
    debug: &Debug,
    session: &mut Here<'_, '_>,
    opened: &Opened<'_, std::fs::File>,
    files: &Files,
) -> Result<Status, Trouble> {
    let doing = |error: io::Error| Trouble::Failure(failure(request, error));
    let gdb = find("gdb").ok_or_else(|| {
        let missing = failure(request, "gdb is not installed").next("sudo apt install gdb");
        let next = "reprise replay --port 1234 FILE    for another debugger";
        Trouble::Failure(missing.next(next))
    })?;
    let folder = tempfile::Builder::new()
        .prefix("reprise-gdb-")
        .tempdir()
        .map_err(doing)?;
    let socket = folder.path().join("replay");
    let listener = UnixListener::bind(&socket).map_err(doing)?;
    let mut child = command(&gdb, &socket, debug).spawn().map_err(doing)?;
    // What is typed at a terminal to interrupt the program is for gdb.
    let mut interrupt = SigSet::empty();
    interrupt.add(Signal::SIGINT);
    let _ = interrupt.thread_block();
    let served = match accept(&listener, &mut child).map_err(doing)? {
        Some(wire) => serve(session, opened, files, wire, &mut say).map_err(Trouble::Serve),
        None => Ok(Gone::Detached),
    };
    if served.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(doing)?;
    served?;
    if status.success() {
        return Ok(Status::Done);
    }
    let wrong = failure(request, format!("gdb ended with {status}"));
    Err(Trouble::Failure(wrong))
}

/// gdb, told to connect and to load nothing that the recording could have
/// brought.
fn command(gdb: &Path, socket: &Path, debug: &Debug) -> Command {
    let mut command = Command::new(gdb);
    command.env_remove("DEBUGINFOD_URLS");
    command.args(["-nx", "-q"]);
    for setting in [
        "auto-load no",
        "debuginfod enabled off",
        "sysroot target:",
        "may-write-registers off",
        "may-write-memory off",
        "tcp connect-timeout 60",
        "remotetimeout 600",
    ] {
        command.args(["-iex", &format!("set {setting}")]);
    }
    if let Some(symbols) = &debug.symbols {
        let symbols = std::path::absolute(symbols).unwrap_or_else(|_| symbols.clone());
        let mut folders = OsString::from("set debug-file-directory ");
        folders.push(&symbols);
        folders.push(":");
        folders.push(symbols.join("usr/lib/debug"));
        folders.push(":/usr/lib/debug");
        command.arg("-iex").arg(folders);
    }
    let mut target = OsString::from("target remote ");
    target.push(socket);
    command.arg("-ex").arg(target);
    command.args(&debug.arguments);
    command
}

/// Waits for gdb to connect; `None` if it ends before that.
fn accept(listener: &UnixListener, child: &mut Child) -> io::Result<Option<Wire>> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(Some(stream.into()));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if child.try_wait()?.is_some() {
            return Ok(None);
        }
        std::thread::sleep(PATIENCE);
    }
}
