//! The callbacks of the JVM: it is initialised, loads classes, begins and ends
//! threads, has a monitor that is not to be had, and ends.

use std::ffi::{CStr, CString, c_char, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject, jthread, jvalue};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_THREAD_START,
    JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT, jvmtiEnv, jvmtiEventCallbacks,
};
use reprise_classfile::read::{ClassFile, ReadError};
use reprise_turns::plan::Place;
use reprise_turns::{enforce, explore, free, loaders, platform, share};

use super::{Mode, SESSION, Session, begin, natives, refuse};
use crate::jni::Frame;

/// Asks the JVM for the callbacks.
pub(super) fn listen(session: &Session) -> Result<(), String> {
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(vm_init);
    callbacks.VMDeath = Some(vm_death);
    callbacks.ClassFileLoadHook = Some(class_loaded);
    callbacks.ThreadStart = Some(thread_start);
    callbacks.ThreadEnd = Some(thread_end);
    callbacks.MonitorContendedEnter = Some(contended);
    callbacks.MonitorContendedEntered = Some(obtained);
    let events = [
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_DEATH,
        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        JVMTI_EVENT_THREAD_START,
    ];
    let ends: &[_] = match session.mode.is_free() {
        // A thread that runs freely says so itself.
        true => &[],
        false => &[JVMTI_EVENT_THREAD_END],
    };
    let monitors: &[_] = match session.mode {
        Mode::Share { .. } => &[],
        Mode::Free { .. } => &[
            JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
            JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
        ],
        _ => &[JVMTI_EVENT_MONITOR_CONTENDED_ENTER],
    };
    callbacks.ClassLoad = Some(class_seen);
    let loaded: &[_] = match session.values {
        Some(_) => &[JVMTI_EVENT_CLASS_LOAD],
        None => &[],
    };
    let events = [&events[..], ends, monitors, loaded].concat();
    let listening = session.environment.listen(&callbacks, &events);
    listening.map_err(|error| error.to_string())
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jthread) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get().ok_or("there is no session")?;
        // SAFETY: the JVM hands its environment to this callback.
        let frame = unsafe { Frame::of(env) }.ok_or("there is no JNI environment")?;
        begin::begin(session, frame)
    }));
    let message = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(message)) => message,
        Err(_) => "the agent failed while the JVM was being initialised".to_owned(),
    };
    match SESSION.get().map(|session| session.mode.is_free()) {
        Some(true) => crate::warn(&message),
        _ => refuse(&message),
    }
}

/// Calls the scheduler, if it is there.
///
/// # Safety
/// `env` comes from the JVM's own call; the arguments are as the signature says.
unsafe fn tell(env: *mut JNIEnv, method: &CStr, signature: &CStr, arguments: &[jvalue]) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get()?;
        // SAFETY: the caller vouches for both.
        unsafe {
            natives::call(session, Frame::of(env)?, method, signature, arguments);
        }
        Some(())
    }));
}

unsafe extern "system" fn thread_start(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jthread) {
    // SAFETY: the JVM hands over its environment, and there are no arguments.
    unsafe { tell(env, c"begun", c"()V", &[]) };
}

unsafe extern "system" fn thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jthread) {
    // SAFETY: as above.
    unsafe { tell(env, c"ended", c"()V", &[]) };
}

unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    // SAFETY: as above.
    unsafe { tell(env, c"finish", c"()V", &[]) };
}

unsafe extern "system" fn contended(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jthread,
    monitor: jobject,
) {
    let Some(session) = SESSION.get() else { return };
    let owner = match session.mode.is_free() {
        // Of no interest then, and the JVM would stop all threads to find out.
        true => std::ptr::null_mut(),
        // SAFETY: the JVM hands over a live object.
        false => match unsafe { session.environment.monitor_owner(monitor) } {
            Ok(owner) => owner,
            Err(_) => return,
        },
    };
    let arguments = [jvalue { l: monitor }, jvalue { l: owner }];
    let signature = c"(Ljava/lang/Object;Ljava/lang/Thread;)V";
    // SAFETY: the JVM hands over its environment; both references are live.
    unsafe { tell(env, c"contended", signature, &arguments) };
}

unsafe extern "system" fn obtained(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jthread,
    monitor: jobject,
) {
    let arguments = [jvalue { l: monitor }];
    // SAFETY: the JVM hands over its environment and a live object.
    unsafe { tell(env, c"obtained", c"(Ljava/lang/Object;)V", &arguments) };
}

unsafe extern "system" fn class_seen(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jthread,
    class: jclass,
) {
    let arguments = [jvalue { l: class }];
    // SAFETY: the JVM hands over its environment and a live class.
    unsafe { tell(env, c"loaded", c"(Ljava/lang/Class;)V", &arguments) };
}

unsafe extern "system" fn class_loaded(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jclass,
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
        session.scheduler.get()?;
        if name.is_null() || env.is_null() {
            return None;
        }
        // SAFETY: the JVM hands over a name that ends with a zero byte, and that
        // many bytes, all valid during the callback.
        let (name, bytes) = unsafe {
            let length = usize::try_from(length).ok()?;
            let bytes = std::slice::from_raw_parts(data, length);
            (CStr::from_ptr(name), bytes)
        };
        let name = name.to_str().ok()?;
        // SAFETY: the JVM hands over a live loader, or null.
        let edited = unsafe { change(session, loader, name, bytes) };
        let own = !loader.is_null() && !is_jdk(name);
        let edited = match own.then(|| loaders::instrument(edited.as_deref().unwrap_or(bytes))) {
            // SAFETY: as above.
            Some(Ok(Some(loads))) if unsafe { readable(session, loader, name) } => loads,
            _ => edited?,
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

/// Whether a class is the JDK's: one module of it has a package that does not say so.
fn is_jdk(name: &str) -> bool {
    reprise_probes::pattern::is_platform(name) || name.starts_with("org/jcp/xml/dsig/internal/")
}

/// Whether a class of the JDK has to be changed.
pub(super) fn concerns(session: &Session, name: &str) -> bool {
    match session.mode {
        // Who blocks and wakes is of no interest, only who begins.
        Mode::Share { .. } => name == "java/lang/Thread",
        _ => platform::concerns(name, session.has_values()),
    }
}

/// The class with calls of the scheduler in it; none when it stays as it was.
///
/// # Safety
/// `loader` is live, or null.
unsafe fn change(session: &Session, loader: jobject, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    if loader.is_null() || is_jdk(name) {
        let edited = concerns(session, name).then(|| platform::change(bytes, session.has_values()));
        return edited?.unwrap_or_else(|error| {
            crate::say(&format!("{name} cannot be given to the scheduler: {error}"));
            None
        });
    }
    note_thread(session, name, bytes);
    note_finalizer(session, name, bytes);
    let is_thread = |class: &str| {
        let threads = session.threads.lock();
        let threads = threads.unwrap_or_else(PoisonError::into_inner);
        threads.contains(class)
    };
    let edited = match &session.mode {
        Mode::Follow { places, .. } => {
            let values = session.has_values();
            follow(places.get(name), name, bytes, &is_thread, values)?
        }
        Mode::Free {
            scope,
            facts,
            parts,
        } => {
            let mut number = |site: &explore::Site<'_>| parts.number(name, site);
            let edited = free::instrument(bytes, *scope, facts, &is_thread, &mut number);
            edited.unwrap_or_else(|error| {
                crate::say(&format!("{name} cannot be recorded: {error}"));
                None
            })?
        }
        Mode::Share { sites, .. } => {
            let edited = share::instrument(bytes, sites.class(name));
            edited.unwrap_or_else(|error| {
                crate::say(&format!("{name} cannot be recorded: {error}"));
                None
            })?
        }
        Mode::Explore {
            schedule,
            places,
            known,
            serve,
            ..
        } => {
            let known = known.lock();
            let mut known = known.unwrap_or_else(PoisonError::into_inner);
            let same = known.get(name).filter(|(before, _)| before == bytes);
            if let Some((_, edited)) = same {
                let edited = edited.clone();
                drop(known);
                // SAFETY: the caller vouches for the loader.
                return unsafe { readable(session, loader, name) }.then_some(edited);
            }
            let places = places.get(name).map(Vec::as_slice).unwrap_or_default();
            let places: Vec<_> = places.iter().map(|(_, place)| place).collect();
            let mut number = |site: &explore::Site<'_>| schedule.number(name, site);
            let values = session.has_values();
            match explore::instrument(bytes, &places, &is_thread, values, &mut number) {
                Ok(edited) => {
                    if serve.is_some() {
                        known.insert(name.to_owned(), (bytes.to_vec(), edited.clone()));
                    }
                    edited
                }
                Err(error) => {
                    crate::say(&format!("{name} cannot be given to the scheduler: {error}"));
                    return None;
                }
            }
        }
    };
    if let Some(made) = &session.made {
        made.note(name, bytes);
    }
    // SAFETY: the caller vouches for the loader.
    unsafe { readable(session, loader, name) }.then_some(edited)
}

/// Lets a class use the scheduler; whether that worked.
///
/// # Safety
/// `loader` is live, or null.
unsafe fn readable(session: &Session, loader: jobject, name: &str) -> bool {
    let package = name.rsplit_once('/').map_or("", |(package, _)| package);
    let Ok(package) = CString::new(package) else {
        return false;
    };
    let Some((module, _)) = session.scheduler.get() else {
        return false;
    };
    // SAFETY: the caller vouches for the loader; the module is a global reference.
    let read = unsafe { session.environment.let_read(loader, &package, module.get()) };
    read.is_ok()
}

/// The class with the probes of a schedule.
fn follow(
    places: Option<&Vec<(u32, Place)>>,
    name: &str,
    bytes: &[u8],
    is_thread: &dyn Fn(&str) -> bool,
    values: bool,
) -> Option<Vec<u8>> {
    let places = places.map(Vec::as_slice).unwrap_or_default();
    let places: Vec<_> = places
        .iter()
        .map(|(number, place)| (*number, place))
        .collect();
    match enforce::instrument(bytes, &places, is_thread, values) {
        Ok(edited) => edited,
        Err(error) if places.is_empty() => {
            crate::say(&format!("{name} cannot be given to the scheduler: {error}"));
            None
        }
        Err(error) => refuse(&error.to_string()),
    }
}

/// Remembers a class that extends `Thread`. Superclasses are loaded later than
/// their subclasses begin to be, so this knows what was loaded before and what a
/// class says of itself.
fn note_thread(session: &Session, name: &str, bytes: &[u8]) {
    let above = ClassFile::parse(bytes).ok().and_then(|class| {
        let above = class.super_name().ok()??;
        Some(above.to_str_lossy().into_owned())
    });
    let Some(above) = above else { return };
    let threads = session.threads.lock();
    let mut threads = threads.unwrap_or_else(PoisonError::into_inner);
    if above == "java/lang/Thread" || threads.contains(&above) {
        threads.insert(name.to_owned());
    }
}

/// Says that a class has a finalizer: the JVM runs it, in a thread of its own, whenever the
/// garbage collector wants it. One that does nothing is none.
fn note_finalizer(session: &Session, name: &str, bytes: &[u8]) {
    let has_finalizer = || -> Result<bool, ReadError> {
        let class = ClassFile::parse(bytes)?;
        for method in &class.methods {
            let named = class.pool.utf8(method.name)? == "finalize"
                && class.pool.utf8(method.descriptor)? == "()V";
            if named && let Some(code) = class.code(method)? {
                return Ok(code.instructions().nth(1).is_some());
            }
        }
        Ok(false)
    };
    let is_recorded = !matches!(session.mode, Mode::Follow { .. } | Mode::Share { .. });
    if is_recorded && has_finalizer().unwrap_or(false) && session.finalizes.set(()).is_ok() {
        let lacks = format!(
            "when the garbage collector has {}.finalize run, and others",
            name.replace('/', ".")
        );
        if let Mode::Explore { schedule, .. } = &session.mode {
            schedule.lacks(&lacks);
        }
        crate::report::add("lacks", &lacks);
    }
}
