//! What the scheduler calls, and how it is called.

use std::ffi::{CStr, c_void};
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject, jstring, jvalue};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::thread::{MembarrierCommand, membarrier, membarrier_query};
use rustix::time::{ClockId, clock_gettime};

use super::writing::Writing;
use super::{Mode, SESSION, Session};
use crate::jni::{Frame, Global};

/// Binds the scheduler's native methods, and lets it and the JDK use each other.
/// Returns the module and the class of the scheduler.
pub(super) fn bind(session: &Session, frame: Frame) -> Option<(Global, Global)> {
    let native = frame.find_class(c"java/reprise/scheduler/Native")?;
    let scheduler = frame.find_class(c"java/reprise/scheduler/Scheduler")?;
    let object = frame.find_class(c"java/lang/Object")?;
    // SAFETY: the classes were just found, and modules live as long as they do;
    // the function has the signature that is given.
    unsafe {
        let module = frame.module(native)?;
        let base = frame.module(object)?;
        for package in [c"jdk.internal.misc", c"jdk.internal.access"] {
            // 11 has the second one elsewhere, and no use for it.
            let exported = session.environment.export(base, package, module);
            if package == c"jdk.internal.misc" {
                exported.ok()?;
            }
        }
        let loader = std::ptr::null_mut();
        let environment = &session.environment;
        environment.let_read(loader, c"java/lang", module).ok()?;
        let bound = frame.register(
            native,
            &[
                (
                    c"report",
                    c"(Ljava/lang/String;Ljava/lang/String;)V",
                    report as *mut c_void,
                ),
                (c"event", c"(IJZ)V", event as *mut c_void),
                (
                    c"outside",
                    c"(JLjava/lang/String;)V",
                    outside as *mut c_void,
                ),
                (c"waits", c"(I)Z", waits as *mut c_void),
                (c"poll", c"(IZI)Z", poll as *mut c_void),
                (c"use", c"(I)I", uses as *mut c_void),
                (c"element", c"(I)I", element as *mut c_void),
                (c"place", c"(I)I", place as *mut c_void),
                (c"action", c"(Ljava/lang/String;I)V", action as *mut c_void),
                (
                    c"value",
                    c"(Ljava/lang/String;Ljava/lang/String;J)V",
                    value as *mut c_void,
                ),
                (
                    c"hashesByIdentity",
                    c"(Ljava/lang/Class;)Z",
                    hashes_by_identity as *mut c_void,
                ),
                (c"room", c"(ILjava/lang/String;I)J", room as *mut c_void),
                (c"written", c"(JI)V", written as *mut c_void),
                (c"barrier", c"()Z", barrier as *mut c_void),
                (c"pause", c"(J)V", pause as *mut c_void),
                (c"used", c"()J", used as *mut c_void),
                (
                    c"owner",
                    c"(Ljava/lang/Object;)Ljava/lang/Thread;",
                    owner as *mut c_void,
                ),
            ],
        );
        bound.then(|| (frame.global(module), frame.global(scheduler)))
    }
}

/// Calls a method of the scheduler that has no result; false if it threw.
///
/// # Safety
/// The arguments are as the signature says.
pub(super) unsafe fn call(
    session: &Session,
    frame: Frame,
    method: &CStr,
    signature: &CStr,
    arguments: &[jvalue],
) -> bool {
    let Some((_, scheduler)) = session.scheduler.get() else {
        return false;
    };
    // SAFETY: the class is a global reference, and the caller vouches for the
    // arguments.
    unsafe { frame.call_static(scheduler.get(), method, signature, arguments) }
}

extern "system" fn report(env: *mut JNIEnv, _: jclass, what: jstring, text: jstring) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM calls this with its own environment, and the scheduler
        // passes two strings.
        let (what, text) = unsafe {
            let frame = Frame::of(env)?;
            (frame.text(what), frame.text(text))
        };
        if what == "now" {
            // Who waits for the program to end would see a report too late.
            crate::say_now(&text);
        } else if !crate::report::add(&what, &text) {
            crate::say(&format!("{what} {text}"));
        }
        Some(())
    }));
}

/// Runs `body` with the schedule that is being written.
fn with_schedule(body: impl FnOnce(&Writing)) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Mode::Explore { schedule, .. } = &SESSION.get()?.mode {
            body(schedule);
        }
        Some(())
    }));
}

extern "system" fn event(_: *mut JNIEnv, _: jclass, site: jint, count: jlong, blocked: jboolean) {
    with_schedule(|schedule| schedule.event(site, count, blocked != 0));
}

extern "system" fn outside(env: *mut JNIEnv, _: jclass, count: jlong, place: jstring) {
    with_schedule(|schedule| {
        // SAFETY: the JVM calls this with its own environment, and the scheduler
        // passes a string.
        if let Some(place) = unsafe { Frame::of(env).map(|frame| frame.text(place)) } {
            schedule.outside(count, &place);
        }
    });
}

/// Runs `body` with a file descriptor of the JVM; none if it is not one.
fn with_descriptor<T>(number: jint, body: impl FnOnce(BorrowedFd<'_>) -> T) -> Option<T> {
    // SAFETY: it is only asked about, for the time of this call; if the program has closed it,
    // the kernel says so.
    (number >= 0).then(|| body(unsafe { BorrowedFd::borrow_raw(number) }))
}

/// The number of the driver for `/dev/null`, `/dev/random` and their like.
const MEMORY: u32 = 1;

extern "system" fn waits(_: *mut JNIEnv, _: jclass, number: jint) -> jboolean {
    let waits = with_descriptor(number, |descriptor| {
        rustix::fs::fstat(descriptor).is_ok_and(|stat| {
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Socket | FileType::Fifo => true,
                // What the kernel makes up (null, zero, random) is there at once, and the JDK
                // reads it for itself whenever it likes.
                FileType::CharacterDevice => rustix::fs::major(stat.st_rdev) != MEMORY,
                _ => false,
            }
        })
    });
    jboolean::from(waits.unwrap_or_default())
}

/// What is closed or broken counts as ready: the program's own call says what is wrong.
extern "system" fn poll(
    _: *mut JNIEnv,
    _: jclass,
    number: jint,
    write: jboolean,
    millis: jint,
) -> jboolean {
    let ready = with_descriptor(number, |descriptor| {
        let events = match write {
            0 => PollFlags::IN,
            _ => PollFlags::OUT,
        };
        let time = Timespec {
            tv_sec: i64::from(millis / 1000),
            tv_nsec: i64::from(millis % 1000) * 1_000_000,
        };
        match rustix::event::poll(&mut [PollFd::new(&descriptor, events)], Some(&time)) {
            Ok(ready) => ready > 0,
            Err(error) => error != Errno::INTR,
        }
    });
    jboolean::from(ready.unwrap_or(true))
}

extern "system" fn uses(_: *mut JNIEnv, _: jclass, site: jint) -> jint {
    let mut found = 1;
    with_schedule(|schedule| found = schedule.uses(site));
    found
}

extern "system" fn element(_: *mut JNIEnv, _: jclass, site: jint) -> jint {
    let mut found = -1;
    with_schedule(|schedule| found = schedule.element(site));
    found
}

extern "system" fn place(_: *mut JNIEnv, _: jclass, site: jint) -> jint {
    let mut found = -1;
    with_schedule(|schedule| found = schedule.place(site));
    found
}

extern "system" fn action(env: *mut JNIEnv, _: jclass, word: jstring, thread: jint) {
    with_schedule(|schedule| {
        // SAFETY: the JVM calls this with its own environment, and the scheduler
        // passes a string.
        if let Some(word) = unsafe { Frame::of(env).map(|frame| frame.text(word)) } {
            schedule.action(&word, thread);
        }
    });
}

extern "system" fn value(
    env: *mut JNIEnv,
    _: jclass,
    thread: jstring,
    kind: jstring,
    value: jlong,
) {
    with_schedule(|schedule| {
        // SAFETY: the JVM calls this with its own environment, and the scheduler
        // passes two strings.
        let words = unsafe { Frame::of(env).map(|frame| (frame.text(thread), frame.text(kind))) };
        if let Some((thread, kind)) = words {
            schedule.value(&thread, &kind, value);
        }
    });
}

/// Nothing is loaded for that: the class says itself which method it has.
extern "system" fn hashes_by_identity(env: *mut JNIEnv, _: jclass, class: jclass) -> jboolean {
    let found = catch_unwind(AssertUnwindSafe(|| {
        let environment = &SESSION.get()?.environment;
        // SAFETY: the JVM calls this with its own environment, and the scheduler passes the
        // class of an object.
        unsafe {
            let method = Frame::of(env)?.method(class, "hashCode", "()I")?;
            let (origin, _) = environment.method_origin(method).ok()?;
            environment.class_name(origin).ok()
        }
    }));
    let origin = found.ok().flatten().unwrap_or_default();
    jboolean::from(matches!(&*origin, "java/lang/Object" | "java/lang/Enum"))
}

extern "system" fn room(
    env: *mut JNIEnv,
    _: jclass,
    thread: jint,
    descent: jstring,
    part: jint,
) -> jlong {
    let room = catch_unwind(AssertUnwindSafe(|| {
        let (Mode::Free { parts, .. } | Mode::Share { parts, .. }) = &SESSION.get()?.mode else {
            return None;
        };
        // SAFETY: the JVM calls this with its own environment, and the scheduler passes a
        // string.
        let descent = unsafe { Frame::of(env)?.text(descent) };
        Some(parts.room(thread, &descent, part).expose_provenance())
    }));
    let address = room.ok().flatten().unwrap_or_default();
    jlong::try_from(address).unwrap_or_default()
}

extern "system" fn written(_: *mut JNIEnv, _: jclass, room: jlong, part: jint) {
    let address = usize::try_from(room).unwrap_or_default();
    let room = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the scheduler passes what it got for that part, once, and has done with it.
    unsafe { super::parts::Parts::written(room, part) };
}

/// Asks the kernel for a memory barrier of all threads of this process. The first call
/// registers for that, which takes longer.
extern "system" fn barrier(_: *mut JNIEnv, _: jclass) -> jboolean {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = *REGISTERED.get_or_init(|| {
        let wanted = MembarrierCommand::PrivateExpedited;
        membarrier_query().contains_command(wanted)
            && membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
    });
    let done = registered && membarrier(MembarrierCommand::PrivateExpedited).is_ok();
    jboolean::from(done)
}

extern "system" fn pause(_: *mut JNIEnv, _: jclass, nanos: jlong) {
    let nanos = u64::try_from(nanos).unwrap_or_default();
    std::thread::sleep(Duration::from_nanos(nanos));
}

/// For how long the threads of this process have had a processor, in nanoseconds.
extern "system" fn used(_: *mut JNIEnv, _: jclass) -> jlong {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec)
}

extern "system" fn owner(_: *mut JNIEnv, _: jclass, monitor: jobject) -> jobject {
    let owner = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get()?;
        // SAFETY: the scheduler passes an object.
        unsafe { session.environment.monitor_owner(monitor) }.ok()
    }));
    owner.ok().flatten().unwrap_or(std::ptr::null_mut())
}
