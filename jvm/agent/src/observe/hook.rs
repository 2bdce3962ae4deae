//! The callbacks of the JVM: it is initialised, loads classes, and ends.
//!
//! Whatever happens in here, the class is loaded: as it was, if it cannot be
//! given its probes.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject, jthread};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT, jvmtiEnv,
    jvmtiEventCallbacks,
};
use reprise_classfile::flow::parse_for_edit;
use reprise_jvm_events::table::Skipped;
use reprise_probes::{Numbers, ProbeError};

use super::{
    Live, SESSION, Session, by_native, count, hide, natives, recording::Recorder, tables::Tables,
};
use crate::jni::{Frame, Global};

/// The flag of a native method.
const NATIVE: u16 = 0x0100;

unsafe extern "C" {
    /// The C library's `atexit` with the exit status.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Asks the JVM for the callbacks.
pub(super) fn listen(session: &Session) -> Result<(), String> {
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(vm_init);
    callbacks.VMDeath = Some(vm_death);
    callbacks.ClassFileLoadHook = Some(class_loaded);
    let events = [
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_DEATH,
        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
    ];
    let listening = session.environment.listen(&callbacks, &events);
    listening.map_err(|error| error.to_string())
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jthread) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get().ok_or("there is no session")?;
        // SAFETY: the JVM hands its environment to this callback.
        let frame = unsafe { Frame::of(env) }.ok_or("there is no JNI environment")?;
        let prepared = prepare(session, frame);
        // The JVM has it open by now, or will never need it; a process that is
        // killed cleans nothing up.
        let _ = std::fs::remove_file(&session.jar);
        prepared
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(message)) => crate::warn(&message),
        Err(_) => crate::warn("the agent failed while the JVM was being initialised"),
    }
}

fn prepare(session: &Session, frame: Frame) -> Result<(), String> {
    crate::report::add("jvm", &session.environment.java_version());
    let module = natives::bind(session, frame).ok_or("the runtime's classes cannot be used")?;
    let counts = session.options.dry_run;
    if !natives::prepare(frame) || counts && !natives::run(frame, c"java/reprise/Count", c"prepare")
    {
        return Err("the runtime cannot be used".to_owned());
    }
    if let Err(error) = hide::hide(&module, frame) {
        crate::say(&format!(
            "the field that numbers objects shows in listings of fields: {error}"
        ));
    }
    let set = session.module.set(module);
    set.map_err(|_| "the JVM was initialised twice".to_owned())
}

/// Creates the recording and tells the runtime.
pub(super) fn begin(session: &Session, frame: Frame) -> Result<(), String> {
    let (recorder, stream) = Recorder::start(session)?;
    let address = recorder.address;
    let tables = Tables::new(stream, session.patterns.sharing);
    let live = Live { tables, recorder };
    session
        .live
        .set(live)
        .map_err(|_| "the recording was begun twice")?;
    // SAFETY: the function is as the C library wants it and stays loaded: a
    // JVM does not unload its agents before it exits.
    unsafe { on_exit(exited, std::ptr::null_mut()) };
    if natives::start(
        frame,
        address,
        !session.options.no_oracle,
        session.options.races,
    ) {
        Ok(())
    } else {
        Err("the runtime could not be started".to_owned())
    }
}

extern "C" fn exited(status: c_int, _: *mut c_void) {
    let _ = catch_unwind(|| {
        let Some(session) = SESSION.get() else { return };
        let Some(live) = session.live.get() else {
            return;
        };
        let useless = session.is_useless();
        let skipped = live.tables.all_skipped().into_iter().map(|skipped| {
            let dot = if skipped.method.is_empty() { "" } else { "." };
            let what = format!("{}{dot}{}", skipped.class, skipped.method);
            (what, skipped.why)
        });
        live.recorder.finish(status, skipped.collect(), useless);
    });
}

unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(session) = SESSION.get() else { return };
        // SAFETY: the JVM hands its environment to this callback.
        if let (true, Some(frame)) = (session.options.dry_run, unsafe { Frame::of(env) }) {
            count::finish(frame);
        }
        if let Some(live) = session.live.get() {
            live.recorder.end();
        }
        for pattern in session.unmet() {
            // With a report, `reprise` speaks for all JVMs of the command.
            if !crate::report::add("unmet", pattern) {
                crate::say(&format!(
                    "no class that was loaded matched '{}'",
                    pattern.escape_debug()
                ));
            }
        }
    }));
}

unsafe extern "system" fn class_loaded(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get()?;
        let module = session.module.get()?;
        if name.is_null() || !redefined.is_null() {
            return None;
        }
        // SAFETY: the JVM hands over its environment, a name that ends with a
        // zero byte, and that many bytes, all valid during the callback.
        let (frame, name, bytes) = unsafe {
            let length = usize::try_from(length).ok()?;
            let bytes = std::slice::from_raw_parts(data, length);
            (Frame::of(env)?, CStr::from_ptr(name), bytes)
        };
        let name = name.to_str().ok()?;
        if !concerns(session, loader, name) {
            return None;
        }
        let edited = if session.options.dry_run {
            let edited = count::instrument(session, bytes)?;
            // SAFETY: the JVM hands over a live loader, or null.
            unsafe { let_read(session, module, loader, name) }.ok()?;
            edited
        } else {
            let live = session.begin(frame)?;
            // SAFETY: the same.
            unsafe { instrument(session, live, module, frame, loader, name, bytes) }?
        };
        let memory = session.environment.copy_for_jvm(&edited).ok()?;
        // SAFETY: both are places for the results, and the memory is the JVM's.
        unsafe {
            *new_length = jint::try_from(edited.len()).ok()?;
            *new_data = memory;
        }
        Some(())
    }));
}

/// Whether a class has to do with the recording: it is inside, or it belongs to
/// the program and may write to what is.
fn concerns(session: &Session, loader: jobject, name: &str) -> bool {
    let of_program = !loader.is_null() && !reprise_probes::pattern::is_platform(name);
    let inside = session.patterns.is_inside(name);
    if inside || of_program {
        session.meet(name, inside);
    }
    inside || of_program
}

/// The class with its probes; none when it stays as it was.
///
/// # Safety
/// `loader` is live, or null.
unsafe fn instrument(
    session: &Session,
    live: &Live,
    module: &Global,
    frame: Frame,
    loader: jobject,
    name: &str,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let inside = session.patterns.is_inside(name);
    // SAFETY: the caller vouches for the loader.
    let number = unsafe { session.loader(live, frame, loader) };
    let class = live.tables.class(number, inside, name);
    let mut catalog = live.tables.catalog(number, class);
    let skip = |method: String, why: String| {
        live.tables.skipped(Skipped {
            class: name.to_owned(),
            method,
            why,
        });
    };
    let as_it_was = |why: String| {
        skip(String::new(), why);
        live.tables.leaves_copies_unseen(class);
    };
    if inside {
        live.tables.bytes(class, bytes.to_vec());
    }
    let file = match parse_for_edit(bytes) {
        Ok(file) => file,
        Err(error) => {
            as_it_was(error.to_string());
            return None;
        }
    };
    let shape = reprise_probes::shape::of_class(&file).ok();
    if let Some(shape) = &shape {
        live.tables.inherits(number, name, shape);
    }
    let natives = file.methods.iter().any(|one| one.access & NATIVE != 0);
    if natives && let Err(error) = by_native::follow(session, frame) {
        let why = format!("what its native methods write to inside fields is not seen: {error}");
        skip(String::new(), why);
    }
    let result = if inside {
        reprise_probes::inside(&file, &session.patterns, &mut catalog, Numbers::InField).map(Some)
    } else {
        if let Some(shape) = shape {
            live.tables.shape(class, shape);
        }
        reprise_probes::outside(&file, &session.patterns, &mut catalog, Numbers::InField)
    };
    let instrumented = match result {
        Ok(instrumented) => instrumented?,
        Err(error) => {
            if error == ProbeError::Already {
                say_once(name, &error);
            }
            as_it_was(error.to_string());
            return None;
        }
    };
    if instrumented.edited > 0
        && let Err(why) = reprise_probes::plausible(&file, &instrumented.bytes)
    {
        as_it_was(why);
        return None;
    }
    // SAFETY: the caller vouches for the loader.
    if let Err(error) = unsafe { let_read(session, module, loader, name) } {
        as_it_was(error);
        return None;
    }
    for skipped in instrumented.skipped {
        skip(skipped.method, skipped.why);
    }
    if instrumented.copies_unseen {
        live.tables.leaves_copies_unseen(class);
    }
    Some(instrumented.bytes)
}

/// Says that a class is not recorded; one of its jar stands for all.
fn say_once(class: &str, why: &ProbeError) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let class = class.replace('/', ".");
        crate::say(&format!("{class} is not recorded: {why}"));
    });
}

/// Lets the module of a class use the runtime.
///
/// # Safety
/// `loader` is live, or null.
unsafe fn let_read(
    session: &Session,
    module: &Global,
    loader: jobject,
    name: &str,
) -> Result<(), String> {
    let package = name.rsplit_once('/').map_or("", |(package, _)| package);
    let package = CString::new(package).map_err(|error| error.to_string())?;
    // SAFETY: the caller vouches for the loader; the module is a global
    // reference.
    let read = unsafe { session.environment.let_read(loader, &package, module.get()) };
    read.map_err(|error| error.to_string())
}
