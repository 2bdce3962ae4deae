//! The process that the user started and all that it makes: each is recorded for
//! itself, and what is kept of all goes into one file.
//!
//! They run beside each other. Processes share no memory but what they agree to
//! share, so their order matters only where one waits for another, and what it
//! then learns is in its own log.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::libc;
use nix::unistd::Pid;
use reprise_recording::{CutShort, Ending, Failure, Manifest};
use reprise_tracee::TraceError;

mod leftover;

pub use self::leftover::Leftover;

use crate::archive::Archive;
use crate::attach::Attached;
use crate::condition::Watch;
use crate::control::Control;
use crate::dump::Why;
use crate::dumper::Dumper;
use crate::log::{Bounds, Whose};
use crate::metronome::Metronome;
use crate::mirror::Mirrors;
use crate::session::{Ended, Phase, Session, Trouble};
use crate::shared::{Orders, Shared};
use crate::spawn::{StartError, Started, Waiting};
use crate::token::Token;
use crate::turns::{self, Quiet};
use crate::{Settings, Sink, guard, memory, shadow, signals};

/// How often it is looked whether somebody wants a recording to end.
const ORDERS: Duration = Duration::from_millis(50);

/// How often processes that were inherited are waited for, at most.
const BURIALS: Duration = Duration::from_millis(100);

/// What is recorded.
pub(crate) enum Subject {
    /// It waits for its start.
    Waiting(Waiting),
    /// It ran before.
    Attached(Attached),
}

impl Subject {
    fn pid(&self) -> u32 {
        match self {
            Self::Waiting(waiting) => waiting.pid(),
            Self::Attached(attached) => attached.pid(),
        }
    }
}

/// What is recorded, once it runs.
enum Source {
    Started(Started),
    Attached(Attached),
}

/// What is left of a subject that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended; `None` where it was attached to and runs on.
    pub ended: Option<Ended>,
    /// How many recordings were made, or at least tried.
    pub dumps: u32,
    /// Its end was worth keeping, but there was nothing to keep.
    pub lost: bool,
    /// Why the recording of the first process ended before that did.
    pub cut_short: Option<String>,
    /// Somebody stopped the recording.
    pub stopped: bool,
    /// A program that was attached to was let go for this reason.
    pub let_go: Option<String>,
}

pub(crate) fn run(
    subject: Subject,
    manifest: Manifest,
    settings: &Settings,
    sink: Sink,
) -> Result<(Outcome, Leftover), StartError> {
    let bounds = Bounds {
        last: settings.last,
        interval: settings.interval,
    };
    let process = subject.pid();
    let name = manifest.subject.clone();
    let memory = memory::allowed(settings.memory);
    let archive = Archive::new(manifest, process, bounds, memory);
    let log = archive.open(Whose {
        process,
        parent: std::process::id(),
        name,
    });
    let started = match subject {
        Subject::Waiting(waiting) => Source::Started(waiting.go()?),
        Subject::Attached(attached) => Source::Attached(attached),
    };
    shadow::inherit_orphans();
    // Before there are other threads here: each of them must block it.
    let quiet = Quiet::begin();
    let orders = Orders::default();
    let (tracee, processors, loans) = match &started {
        Source::Started(started) => (started.tracee, started.processors, None),
        Source::Attached(attached) => {
            orders.stop_at_signals();
            let loans = Some(RefCell::default());
            (attached.first(), attached.processors, loans)
        }
    };
    let (dumper, writing) = Dumper::start(sink, processors);
    let control = Control {
        archive: archive.clone(),
        dumper: dumper.clone(),
        orders: orders.clone(),
    };
    // Without it the recorder cannot be told anything, and records all the same.
    let listening = control.listen(process);
    let purse = archive.purse();
    let shared = Rc::new(Shared {
        archive,
        orders,
        keep_all: settings.keep_all,
        portable: settings.portable,
        dumper,
        dumps: Cell::new(0),
        dumped: Cell::new(None),
        last: settings.last,
        members: Cell::new(1),
        births: RefCell::default(),
        leaving: Cell::new(false),
        token: Token::default(),
        mirrors: RefCell::new(Mirrors::new(purse)),
        files: RefCell::default(),
        writer: RefCell::default(),
        handovers: Cell::default(),
        loans,
        let_go: Cell::default(),
        brought: RefCell::default(),
        asking: RefCell::default(),
        disturbed: RefCell::default(),
        written: Cell::new(false),
    });
    let watch = Watch::new(settings.fails_when.clone());
    let first = Session::new(tracee, log, processors, watch, shared.clone());
    let mut family = Family {
        members: vec![first],
        shared: shared.clone(),
        metronome: Metronome::start(bounds.between_looks(), &shared.orders),
        buried: Instant::now(),
    };
    let begun = match &started {
        Source::Started(_) => Ok(()),
        Source::Attached(attached) => family.begin_attached(attached),
    };
    let ended = match begun {
        Ok(()) => family.follow(),
        Err(trouble) => {
            family.release();
            return Err(StartError::Attach(trouble.to_string()));
        }
    };
    if let Some(processors) = processors {
        processors.restore(Pid::from_raw(0));
    }
    let ended = ended.map_err(|error| StartError::Process(io::Error::other(error)))?;
    drop(listening);
    let first = family.members.first();
    let cut_short = first.and_then(|first| first.log.closed());
    let cut_short = cut_short.and_then(|why| match why {
        CutShort::Stopped { by } => Some(by),
        _ => None,
    });
    let lost = family.finish(ended);
    writing.finish(&shared.dumper);
    shared.archive.clear();
    shadow::bury_all();
    let outcome = Outcome {
        ended,
        dumps: shared.dumps.get(),
        lost,
        cut_short,
        stopped: shared.orders.is_stopped(),
        let_go: shared.let_go.take(),
    };
    let members = family.members;
    Ok((outcome, Leftover { members, quiet }))
}

/// The processes that are followed; the first one first.
struct Family {
    members: Vec<Session>,
    shared: Rc<Shared>,
    metronome: Metronome,
    /// When processes that were inherited were last waited for.
    buried: Instant,
}

impl Family {
    /// Follows all of them to the end of the first. An error means that not even
    /// that can be found out.
    fn follow(&mut self) -> Result<Option<Ended>, TraceError> {
        loop {
            if self.is_to_be_released() {
                return Ok(None);
            }
            self.answer_dumps();
            if let Some(ended) = self.step()? {
                return Ok(Some(ended));
            }
            match &mut self.members[..] {
                // Then there is nothing to choose.
                [first] if first.is_alone() => {
                    first.found = self.metronome.wait(first.thread.tracee, first.wake)?;
                }
                members => {
                    let wake = members.iter().filter_map(|one| one.wake).min();
                    // Somebody may want it to end while the subject sleeps.
                    let look = self.shared.is_attached().then(|| Instant::now() + ORDERS);
                    let token = self.shared.token.wake();
                    turns::sleep([wake, look, token].into_iter().flatten().min());
                }
            }
            self.mind_token();
            if self.buried.elapsed() > BURIALS {
                self.buried = Instant::now();
                let members = &self.members;
                shadow::bury_strangers(|dead| members.iter().any(|one| one.has(dead)));
            }
        }
    }

    /// Gives all that is kept to those who have asked for it, up to now.
    fn answer_dumps(&mut self) {
        for asked in self.shared.orders.asked_for_dump() {
            for member in &mut self.members {
                // If it cannot be stopped, that shows when it is looked at.
                drop(member.come_to_now());
            }
            // Whoever asked may have gone, or have taken what there was.
            let _ = asked.send(self.shared.archive.dump_as_it_runs());
        }
    }

    /// Who holds the token while others want it gives it back, if it sleeps or computes
    /// for long.
    fn mind_token(&mut self) {
        let token = &self.shared.token;
        if let Some((holder, so_long)) = token.lingering() {
            let mut members = self.members.iter_mut();
            match members.find(|one| one.process == holder) {
                Some(member) => member.lingers(so_long),
                None => token.give_back(holder),
            }
        }
        if let Some(holder) = token.overdue() {
            let mut members = self.members.iter_mut();
            match members.find(|one| one.process == holder) {
                // If it cannot be stopped, that shows when it is looked at.
                Some(member) => drop(member.park()),
                None => token.give_back(holder),
            }
            turns::look_again();
        }
    }

    /// Does what can be done now; returns how the first one ended, when it has.
    fn step(&mut self) -> Result<Option<Ended>, TraceError> {
        let mut at = 0;
        while let Some(member) = self.members.get_mut(at) {
            let stepped = member.step();
            let born = std::mem::take(&mut member.born);
            let first = member.first;
            let over = match (&member.phase, stepped) {
                (Phase::Over(ended), _) => Some(*ended),
                (_, Ok(())) => None,
                (_, Err(error)) if first => return Err(error),
                (_, Err(_)) => Some(None),
            };
            self.are_born(born);
            match over {
                None => at += 1,
                Some(Some(ended)) if first => return Ok(Some(ended)),
                Some(ended) => {
                    let member = self.members.remove(at);
                    self.ended(&member, ended);
                }
            }
        }
        Ok(None)
    }

    fn are_born(&mut self, born: Vec<Session>) {
        if born.is_empty() {
            return;
        }
        for child in &born {
            guard::joins(child.process);
        }
        self.members.extend(born);
        self.shared.members.set(self.members.len());
        self.shared.archive.tidy();
    }

    /// A process that was made by another is over, or has been let go.
    fn ended(&mut self, member: &Session, ended: Option<Ended>) {
        guard::leaves(member.process);
        self.shared.shares_no_more(member.process);
        self.shared.token.give_back(member.process);
        self.shared.members.set(self.members.len());
        member.log.ended(ended);
        if let Some(Ended::Killed(signal)) = ended
            && dumps_core(signal)
        {
            let plain = || Failure {
                what: signals::name(signal),
                stack: Vec::new(),
            };
            let mut failure = member.failure.clone().unwrap_or_else(plain);
            failure.what = format!("{}: {}", member.log.who(), failure.what);
            let process = member.log.process();
            self.shared.failed(Why::Crashed, failure, process);
        }
        self.shared.archive.tidy();
    }

    fn begin_attached(&mut self, attached: &Attached) -> Result<(), Trouble> {
        let loans = self.shared.loans.as_ref();
        let mut loans = loans.map(RefCell::borrow_mut);
        match (self.members.first_mut(), loans.as_deref_mut()) {
            (Some(first), Some(loans)) => first.begin_attached(attached, loans),
            _ => Ok(()),
        }
    }

    /// Whether a program that was attached to is to be let go now. What is being
    /// written still needs its shadows, which are its children.
    fn is_to_be_released(&mut self) -> bool {
        let shared = &self.shared;
        if !shared.is_attached() || shared.dumper.is_busy() {
            return false;
        }
        if self.members.is_empty() {
            return true;
        }
        if !shared.orders.is_stopped() {
            return false;
        }
        let last = shared.keep_all && !shared.written.replace(true);
        !(last && shared.dump(Why::Asked, Ending::Running, None, None))
    }

    /// Lets go of all processes, with what was taken from them.
    fn release(&mut self) {
        let Some(loans) = &self.shared.loans else {
            return;
        };
        let loans = loans.borrow();
        for mut member in self.members.drain(..) {
            guard::leaves(member.process);
            member.release(&loans);
        }
    }

    /// Has what is worth keeping written down, now that the first one has ended.
    /// Returns whether there was nothing to write though there should be.
    fn finish(&mut self, ended: Option<Ended>) -> bool {
        let Some(ended) = ended else {
            self.release();
            return false;
        };
        let first = self.members.remove(0);
        first.log.ended(Some(ended));
        let (ending, failure) = match ended {
            Ended::Exited(status) => {
                let failed = first.watch.exits(status).then(|| Failure {
                    what: format!("exit status {status}"),
                    stack: Vec::new(),
                });
                (Ending::Exited { status }, failed)
            }
            Ended::Killed(signal) => {
                let plain = || Failure {
                    what: signals::name(signal),
                    stack: Vec::new(),
                };
                let failure = first.failure.clone().unwrap_or_else(plain);
                (Ending::Killed { signal }, Some(failure))
            }
        };
        let wanted =
            !self.shared.orders.is_stopped() && (failure.is_some() || self.shared.keep_all);
        if wanted && !first.over && matches!(ended, Ended::Killed(_)) {
            first.log.note(
                "the end of the run",
                "it was killed from outside, between two events",
            );
        }
        let failed = failure.is_some().then(|| first.log.process());
        let lost = wanted && !self.shared.dump(Why::Ended, ending, failure, failed);
        self.shared.leaving.set(true);
        lost
    }
}

/// Whether a process that is killed by this signal has failed: it ends others
/// that are told to.
fn dumps_core(signal: i32) -> bool {
    [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGSYS,
    ]
    .contains(&signal)
}
