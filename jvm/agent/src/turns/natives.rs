//! What the scheduler calls, and how it is called.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jstring, jvalue};

use super::Session;
use crate::jni::{Frame, Global};

/// Binds the scheduler's native methods, and lets it and the JDK use each other.
/// Returns the module and the class of the scheduler.
pub(super) fn bind(session: &Session, frame: Frame) -> Option<(Global, Global)> {
    let native = frame.find_class(c"reprise/scheduler/Native")?;
    let scheduler = frame.find_class(c"reprise/scheduler/Scheduler")?;
    let object = frame.find_class(c"java/lang/Object")?;
    // SAFETY: the classes were just found, and modules live as long as they do;
    // the function has the signature that is given.
    unsafe {
        let module = frame.module(native)?;
        let base = frame.module(object)?;
        let package = c"jdk.internal.misc";
        session.environment.export(base, package, module).ok()?;
        let loader = std::ptr::null_mut();
        let environment = &session.environment;
        environment.let_read(loader, c"java/lang", module).ok()?;
        let bound = frame.register(
            native,
            &[(
                c"report",
                c"(Ljava/lang/String;Ljava/lang/String;)V",
                report as *mut std::ffi::c_void,
            )],
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
        if !crate::report::add(&what, &text) {
            crate::say(&format!("{what} {text}"));
        }
        Some(())
    }));
}
