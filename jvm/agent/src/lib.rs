//! The agent: the part of Reprise that lives inside the subject's JVM.
//!
//! A JVM loads it with `-agentpath:libreprise_jvm.so=OPTIONS`, either because
//! `reprise` handed it down through `JAVA_TOOL_OPTIONS` or because somebody
//! wrote it into a start script. In both cases the program matters more than
//! the recording: whatever goes wrong here is said in one line on standard
//! error, and the JVM goes on without being recorded. So [`Agent_OnLoad`]
//! always returns `JNI_OK`.
//!
//! The function tables come from `jvmti_bindings::sys` only, which declares the
//! C structures of the JVM TI specification; its higher-level wrappers are not
//! used.
#![allow(
    unsafe_code,
    reason = "a JVM TI agent is called by, and calls, C function tables"
)]

mod environment;
mod jar;
mod jni;
mod observe;
mod options;
mod probe;
mod report;
mod turns;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use jvmti_bindings::sys::jni::{JNI_OK, JavaVM, jint};

use crate::environment::{Environment, EnvironmentError};
use crate::options::Options;

/// Called by the JVM when it loads the agent at start-up, before any class is
/// initialised.
///
/// # Safety
///
/// The JVM TI specification guarantees what this relies on: `vm` is the JVM
/// that makes the call, and `options` is null or a string that ends with a
/// zero byte and stays valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *const c_char,
    _reserved: *mut c_void,
) -> jint {
    // A panic must not unwind into the JVM, which is C++ and would be aborted.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let text = if options.is_null() {
            String::new()
        } else {
            // SAFETY: the pointer is not null, and the caller guarantees a
            // string that ends with a zero byte and outlives this call.
            let text = unsafe { CStr::from_ptr(options) };
            text.to_string_lossy().into_owned()
        };
        load(vm, &text)
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(message)) => warn(&message),
        Err(_) => warn("the agent failed while it was being loaded"),
    }
    JNI_OK
}

/// Does what the options ask for, or says in one line why it does not.
fn load(vm: *mut JavaVM, text: &str) -> Result<(), String> {
    report::prepare(text);
    let options = Options::parse(text).map_err(|error| error.to_string())?;
    if let Some(file) = &options.probe {
        // SAFETY: `vm` comes from the JVM's own call of `Agent_OnLoad`, which
        // has not returned yet.
        let environment = unsafe { Environment::of(vm) };
        write_probe(file, environment)?;
    }
    if !options.observe.is_empty() {
        // SAFETY: as above.
        let environment = unsafe { Environment::of(vm) };
        let environment = environment.map_err(|error| error.to_string())?;
        // SAFETY: as above.
        let second = unsafe { Environment::of(vm) };
        let second = second.map_err(|error| error.to_string())?;
        observe::load(environment, second, options)?;
    } else if options.follow.is_some()
        || options.explore.is_some()
        || options.free.is_some()
        || options.share.is_some()
    {
        // SAFETY: as above.
        let environment = unsafe { Environment::of(vm) };
        let environment = environment.map_err(|error| error.to_string());
        let loaded = environment.and_then(|environment| turns::load(environment, &options));
        if options.free.is_some() || options.share.is_some() {
            return loaded;
        }
        loaded.unwrap_or_else(|message| turns::refuse(&message));
    }
    Ok(())
}

fn write_probe(
    file: &Path,
    environment: Result<Environment, EnvironmentError>,
) -> Result<(), String> {
    let answer = probe::answer(environment);
    std::fs::write(file, answer).map_err(|error| {
        format!(
            "cannot write the probe's answer to {}: {error}",
            file.display()
        )
    })
}

/// The recording will not be made.
fn warn(message: &str) {
    say(&format!("{message}; this JVM runs unrecorded"));
}

/// Standard error belongs to the subject, so it gets one line and no more, and
/// none when `reprise` waits for a report.
fn say(message: &str) {
    if !report::add("say", message) {
        say_now(message);
    }
}

/// The same, at once.
fn say_now(message: &str) {
    use std::io::Write as _;
    // `eprintln!` panics when standard error is closed.
    let _ = writeln!(std::io::stderr(), "reprise: {message}");
}
