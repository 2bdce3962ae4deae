//! Keeping the injected field out of listings of fields; and naming classes that
//! somebody else changes while they run.
//!
//! One method of the JDK is changed, in an environment of its own: one that may
//! change classes again has to do so whenever another agent does, and would
//! lose the probes of the other classes.

use std::ffi::{CStr, c_char, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmtiCapabilities, jvmtiEnv, jvmtiEventCallbacks,
};
use reprise_probes::hide;

use super::SESSION;
use crate::environment::{Environment, EnvironmentError};
use crate::jni::{Frame, Global};

static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();

/// Takes the environment; capabilities can be had only while the agent loads.
pub(super) fn prepare(environment: Environment) {
    let mut wanted = jvmtiCapabilities::default();
    wanted.set_can_retransform_classes(true);
    if environment.take(&wanted).is_ok() {
        let _ = ENVIRONMENT.set(environment);
    }
}

/// Changes the method, once the runtime can be called.
pub(super) fn hide(runtime: &Global, frame: Frame) -> Result<(), EnvironmentError> {
    let Some(environment) = ENVIRONMENT.get() else {
        return Err(EnvironmentError::Missing {
            function: "can_retransform_classes",
        });
    };
    let missing = EnvironmentError::Missing {
        function: "jdk.internal.reflect.Reflection",
    };
    let class = frame.find_class(hide::CLASS_NAME).ok_or(missing)?;
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.ClassFileLoadHook = Some(changed);
    environment.listen(&callbacks, &[JVMTI_EVENT_CLASS_FILE_LOAD_HOOK])?;
    // SAFETY: the bootstrap loader is null, the module is a global reference,
    // and the class was just found.
    unsafe {
        let loader = std::ptr::null_mut();
        environment.let_read(loader, c"jdk/internal/reflect", runtime.get())?;
        environment.retransform(class)
    }
}

/// Somebody else changes a class that is loaded: a debugger, a profiler, a library for tests.
fn changes(name: &str) {
    let Some(session) = SESSION.get() else {
        return;
    };
    let inside = session.patterns.is_inside(name);
    if let Some(live) = session.live.get().filter(|_| inside) {
        live.tables.changed(name);
    }
}

unsafe extern "system" fn changed(
    _: *mut jvmtiEnv,
    _: *mut JNIEnv,
    redefined: jclass,
    _: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let environment = ENVIRONMENT.get()?;
        if redefined.is_null() || name.is_null() {
            return None;
        }
        // SAFETY: the JVM hands over a name that ends with a zero byte and that
        // many bytes, valid during the callback.
        let bytes = unsafe {
            let name = CStr::from_ptr(name);
            if name != hide::CLASS_NAME {
                changes(name.to_str().ok()?);
                return None;
            }
            std::slice::from_raw_parts(data, usize::try_from(length).ok()?)
        };
        let edited = hide::hide(bytes).ok()??;
        let memory = environment.copy_for_jvm(&edited).ok()?;
        // SAFETY: both are places for the results, and the memory is the JVM's.
        unsafe {
            *new_length = jint::try_from(edited.len()).ok()?;
            *new_data = memory;
        }
        Some(())
    }));
}
