//! A shadow: a copy of the subject that executes nothing and so keeps the memory
//! as it was at the start of a segment. The kernel copies a page only when the
//! subject writes to it.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;
use reprise_process_events::PAGE;
use reprise_tracee::{Kin, TraceError, Tracee};

use crate::filters;
use crate::log::Page;
use crate::snapshot::Image;
use crate::spawn::Processors;

/// The most that is copied of memory that a shadow cannot keep.
const UNCOPIED: usize = 64 << 20;

/// What it is called in lists of processes.
const NAME: &CStr = c"reprise-shadow";

/// How long the last shadows are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The memory of the subject at one moment.
pub(crate) struct Shadow {
    copy: Tracee,
    parent: Parent,
    image: Image,
    /// What the copy does not keep, from where to where, and the pages there that
    /// are not all zero.
    uncopied: Vec<(u64, u64)>,
    pages: Vec<(u64, Box<Page>)>,
}

/// Why there is no shadow.
pub(crate) enum NoShadow {
    /// The kernel gave none.
    Refused,
    /// More memory than can be copied is shared with others.
    TooMuchShared,
    /// The subject cannot be followed.
    Trace(TraceError),
    /// `/proc` cannot be read.
    Proc(io::Error),
}

/// Whose child a shadow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    /// The recorder's, as the subject is, too.
    Recorder,
    /// That of the process whose memory it holds: its parent would be told of a
    /// sibling. The process itself is not, as it waits for children of another
    /// kind, but it has to wait for it some time.
    Subject(Pid),
}

/// A shadow that was told to end and has not been waited for by all who must.
struct Grave {
    shadow: Pid,
    parent: Parent,
    /// Its tracer has yet to wait for it.
    traced: bool,
    /// It has become the child of another process of the subject, which sees it as soon as
    /// its tracer has waited for it.
    adopted: bool,
}

static GRAVES: Mutex<Vec<Grave>> = Mutex::new(Vec::new());

impl Shadow {
    /// Makes a shadow of a stopped process, whose memory `original` is, by the `syscall` instruction that
    /// ends at `behind`. `unforked` is memory that the process keeps from its
    /// copies.
    pub(crate) fn of(
        process: Tracee,
        original: Image,
        behind: u64,
        parent: Parent,
        unforked: &[(u64, u64)],
        processors: Option<Processors>,
    ) -> Result<Self, NoShadow> {
        bury();
        let mut pages: Vec<(u64, Box<Page>)> = Vec::new();
        let mut uncopied = Vec::new();
        for part in original.uncopied(unforked) {
            uncopied.push((part.region.start, part.region.end));
            original.pages_of(&part, &mut |address, page: &mut Page| {
                if pages.len() * size_of::<Page>() >= UNCOPIED {
                    return Err(NoShadow::TooMuchShared);
                }
                pages.push((address, Box::new(*page)));
                Ok(())
            })?;
        }
        let kin = match parent {
            Parent::Recorder => Kin::Sibling,
            Parent::Subject(_) => Kin::Child,
        };
        pages.sort_unstable_by_key(|(address, _)| *address);
        let copy = filters::aside(process, || process.copy_at(behind, kin));
        let copy = copy.map_err(NoShadow::Trace)?;
        let copy = copy.ok_or(NoShadow::Refused)?;
        if filters::has_own(copy.pid()) {
            // It has what the process has, and makes no call but ours.
            let _ = copy.set_options(libc::PTRACE_O_EXITKILL | filters::ASIDE);
        }
        let mut shadow = Self {
            copy,
            parent,
            image: original,
            uncopied,
            pages,
        };
        // Pipes must not stay open because of it.
        let all = [0, u64::from(u32::MAX), 0, 0, 0, 0];
        let closed = shadow
            .copy
            .call_plainly_at(behind, libc::SYS_close_range, all);
        closed.map_err(NoShadow::Trace)?;
        // Who ends the subject by its name is not to end this.
        if let Ok(registers) = process.registers() {
            let _ = shadow.copy.rename_at(behind, NAME, registers.rsp());
        }
        shadow.image.look_at(copy.pid()).map_err(NoShadow::Proc)?;
        // It is the first to go when memory is short, and ends beside the
        // subject and not in its way.
        let _ = fs::write(format!("/proc/{}/oom_score_adj", copy.pid()), "1000");
        if let Some(processors) = processors {
            processors.restore(copy.pid());
        }
        Ok(shadow)
    }

    pub(crate) fn pid(&self) -> Pid {
        self.copy.pid()
    }

    /// Whether it still is what it was: the system may have killed it.
    pub(crate) fn is_there(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        let stat = stat.unwrap_or_default();
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
        state.is_some_and(|state| state.starts_with(['t', 'T']))
    }

    /// Fills `into` from `address` on, as far as there is memory, and returns how
    /// far that is.
    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> usize {
        self.image.read_some(address, into)
    }

    /// How many bytes it holds beside its copy.
    pub(crate) fn len(&self) -> u64 {
        (self.pages.len() * size_of::<Page>()) as u64
    }

    /// The ranges in which there may be something.
    pub(crate) fn ranges(&self) -> io::Result<Vec<(u64, u64)>> {
        let mut ranges = self.image.ranges()?;
        ranges.extend(self.uncopied.iter().copied());
        ranges.sort_unstable();
        let mut united: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match united.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => united.push((start, end)),
            }
        }
        Ok(united)
    }

    /// The page at an address.
    pub(crate) fn page(&self, address: u64) -> Page {
        let mut uncopied = self.uncopied.iter();
        if uncopied.any(|&(start, end)| (start..end).contains(&address)) {
            let found = self.pages.binary_search_by_key(&address, |(at, _)| *at);
            return found.map_or([0; PAGE as usize], |found| *self.pages[found].1);
        }
        let mut page = [0; PAGE as usize];
        self.image.read_page(address, &mut page);
        page
    }

    /// Fills whole pages from `address` on; `false` if the copy is gone.
    pub(crate) fn fill(&self, address: u64, into: &mut [u8]) -> bool {
        let end = address + into.len() as u64;
        let mut uncopied = self.uncopied.iter();
        let kept = !uncopied.any(|&(start, last)| start < end && address < last);
        if kept && self.read(address, into) == into.len() {
            return true;
        }
        for (index, page) in (0..).zip(into.chunks_exact_mut(PAGE as usize)) {
            page.copy_from_slice(&self.page(address + index * PAGE));
        }
        self.is_there()
    }

    /// Hands every page that is not all zero to `each`.
    pub(crate) fn all_pages<E: From<io::Error>>(
        &self,
        mut each: impl FnMut(u64, &mut Page) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_uncopied = |address: u64| {
            let mut ranges = self.uncopied.iter();
            ranges.any(|&(start, end)| (start..end).contains(&address))
        };
        // A page that was all zero there may not be any more.
        self.image.all_pages(|address, page: &mut Page| {
            if is_uncopied(address) {
                return Ok(());
            }
            each(address, page)
        })?;
        for (address, page) in &self.pages {
            each(*address, &mut page.clone())?;
        }
        Ok(())
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        let _ = kill(self.pid(), Signal::SIGKILL);
        graves().push(Grave {
            shadow: self.pid(),
            parent: self.parent,
            traced: true,
            adopted: false,
        });
        bury();
    }
}

impl Grave {
    fn look_for_heir(&mut self) {
        if let Parent::Subject(parent) = self.parent
            && are_adopted()
            && let Some(now) = parent_of(self.shadow)
            && now != parent
        {
            self.adopted = is_traced_here(now);
            self.parent = match now == Pid::this() {
                true => Parent::Recorder,
                false => Parent::Subject(now),
            };
        }
    }
}

/// Whether a process of the subject looks after orphans, or did.
static ADOPTED: AtomicBool = AtomicBool::new(false);

/// A process of the subject looks after orphans.
pub(crate) fn may_be_adopted() {
    ADOPTED.store(true, Ordering::Relaxed);
}

pub(crate) fn are_adopted() -> bool {
    ADOPTED.load(Ordering::Relaxed)
}

/// Who the parent of a process is.
pub(crate) fn parent_of(process: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let parent = rest.split(' ').nth(1)?;
    parent.parse().ok().map(Pid::from_raw)
}

/// Whether this process traces another one.
fn is_traced_here(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let tracer = status
        .lines()
        .find_map(|line| line.strip_prefix("TracerPid:"));
    let tracer = tracer.map_or("0", str::trim);
    fs::exists(format!("/proc/self/task/{tracer}")).unwrap_or(false)
}

fn graves() -> MutexGuard<'static, Vec<Grave>> {
    GRAVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for shadows that have ended. Those that have not are left for later:
/// giving up much memory takes the kernel a while.
pub(crate) fn bury() {
    let flags = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL;
    graves().retain_mut(|grave| {
        grave.look_for_heir();
        if grave.adopted {
            return kill(grave.shadow, None).is_ok();
        }
        let waited = waitpid(grave.shadow, Some(flags));
        let gone = matches!(
            waited,
            Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) | Err(_)
        );
        match grave.parent {
            Parent::Recorder => !gone,
            Parent::Subject(parent) => {
                // Who has lost its parent is the recorder's.
                let orphaned = !grave.traced && gone && waited.is_ok();
                grave.traced &= !gone;
                !orphaned && (grave.traced || is_there(parent))
            }
        }
    });
}

/// Waits for all shadows that have been told to end, for a while: the parent that
/// they get when this process ends may never wait for them.
pub(crate) fn bury_all() {
    let until = Instant::now() + PATIENCE;
    loop {
        bury();
        let is_ours = |grave: &Grave| grave.traced || grave.parent == Parent::Recorder;
        if !graves().iter().any(is_ours) || Instant::now() >= until {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Has `wait` called for each ended shadow that is a child of this process, until
/// that says that it is gone.
pub(crate) fn bury_for(process: Pid, mut wait: impl FnMut(Pid) -> bool) {
    bury();
    let own = Parent::Subject(process);
    graves().retain(|grave| grave.traced || grave.parent != own || !wait(grave.shadow));
}

/// The same for all of them, also those that are about to end, for a while.
pub(crate) fn bury_children(process: Pid, mut wait: impl FnMut(Pid) -> bool) {
    let until = Instant::now() + PATIENCE;
    let flags = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL;
    loop {
        for grave in graves().iter_mut() {
            if grave.adopted && grave.traced && grave.parent == Parent::Subject(process) {
                let waited = waitpid(grave.shadow, Some(flags));
                grave.traced = matches!(waited, Ok(WaitStatus::StillAlive));
            }
        }
        bury_for(process, &mut wait);
        if !has_children(process) || Instant::now() >= until {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether there are ended shadows that this process has yet to wait for.
pub(crate) fn has_children(process: Pid) -> bool {
    let own = Parent::Subject(process);
    graves().iter().any(|grave| grave.parent == own)
}

/// Waits for a shadow in the name of the process that is its parent.
pub(crate) fn wait_in_name(process: Tracee, behind: u64, shadow: Pid) -> bool {
    // One that has been adopted is no longer of another kind.
    const ANY_KIND: i32 = libc::__WALL | libc::WNOHANG;
    let child = i64::from(shadow.as_raw()).cast_unsigned();
    let arguments = [child, 0, ANY_KIND as u64, 0, 0, 0];
    let waited = filters::aside(process, || {
        process.call_at(behind, libc::SYS_wait4, arguments)
    });
    match waited {
        Ok(0) | Err(_) => false,
        Ok(_) => true,
    }
}

/// Makes this process the parent of those whose parents have ended before them:
/// shadows of processes that have ended must be waited for by somebody, and so must
/// a subject whose recorder was killed.
pub(crate) fn inherit_orphans() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Waits for processes that have ended, were inherited, and are not known.
pub(crate) fn bury_strangers(is_known: impl Fn(Pid) -> bool) {
    let any = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    loop {
        let look = any | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        let Ok(WaitStatus::Exited(dead, _) | WaitStatus::Signaled(dead, ..)) =
            waitid(Id::All, look)
        else {
            return;
        };
        if is_known(dead) || graves().iter().any(|grave| grave.shadow == dead) {
            return;
        }
        if waitpid(dead, Some(any)).is_err() {
            return;
        }
    }
}

fn is_there(process: Pid) -> bool {
    kill(process, None).is_ok()
}

impl From<NoShadow> for String {
    fn from(why: NoShadow) -> Self {
        match why {
            NoShadow::Refused => "the system gives no process for its memory".to_owned(),
            NoShadow::TooMuchShared => "it shares over 64 MiB of memory with others".to_owned(),
            NoShadow::Trace(error) => error.to_string(),
            NoShadow::Proc(error) => error.to_string(),
        }
    }
}

impl From<io::Error> for NoShadow {
    fn from(error: io::Error) -> Self {
        Self::Proc(error)
    }
}
