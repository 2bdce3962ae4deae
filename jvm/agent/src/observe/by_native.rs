//! Inside fields that native code uses.
//!
//! A native method gets at fields through functions of the JVM. Those that write to one
//! are followed here by a word to the Java runtime, which knows whether it is one of the
//! inside, and so are those that find an object in one. They take the place of the JVM's
//! own when the first class of the program comes that has native methods; without one,
//! nothing is different.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{
    JNIEnv, jboolean, jbyte, jchar, jclass, jdouble, jfieldID, jfloat, jint, jlong, jobject, jshort,
};

use super::{SESSION, Session};
use crate::environment::EnvironmentError;
use crate::jni::{Frame, Method};

/// The JVM's own functions.
static PLAIN: OnceLock<Plain> = OnceLock::new();

/// What the Java runtime is told by.
static RUNTIME: OnceLock<Runtime> = OnceLock::new();

struct Runtime {
    concerns: Method,
    wrote: Method,
    found: Method,
}

thread_local! {
    /// What the runtime does for this may use native methods itself.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Follows what native code does with fields from here on.
pub(super) fn follow(session: &Session, frame: Frame) -> Result<(), String> {
    if PLAIN.get().is_some() {
        return Ok(());
    }
    let runtime = methods(frame).ok_or("the runtime has no methods for it")?;
    let _ = RUNTIME.set(runtime);
    install(session).map_err(|error| error.to_string())
}

fn methods(frame: Frame) -> Option<Runtime> {
    let class = frame.find_class(c"java/reprise/ByNative")?;
    // SAFETY: the class was just found.
    unsafe {
        Some(Runtime {
            concerns: frame.static_method(class, c"concerns", c"(Ljava/lang/Class;)Z")?,
            wrote: frame.static_method(
                class,
                c"wrote",
                c"(Ljava/lang/reflect/Field;Ljava/lang/Object;)V",
            )?,
            found: frame.static_method(
                class,
                c"found",
                c"(Ljava/lang/Object;Ljava/lang/reflect/Field;Ljava/lang/Object;)V",
            )?,
        })
    }
}

type Get = unsafe extern "system" fn(*mut JNIEnv, jobject, jfieldID) -> jobject;
type Set<T> = unsafe extern "system" fn(*mut JNIEnv, jobject, jfieldID, T);

macro_rules! functions {
    ($($set:ident $set_static:ident $function:ident $of_class:ident $value:ty;)*) => {
        struct Plain {
            get: Get,
            get_static: Get,
            $($set: Set<$value>, $set_static: Set<$value>,)*
        }

        fn install(session: &Session) -> Result<(), EnvironmentError> {
            // SAFETY: each function calls the one that it stands for and returns what that
            // returns; an agent is not unloaded while the JVM runs.
            unsafe {
                session.environment.change_functions(|table| {
                    let plain = Plain {
                        get: table.GetObjectField,
                        get_static: table.GetStaticObjectField,
                        $($set: table.$function, $set_static: table.$of_class,)*
                    };
                    if PLAIN.set(plain).is_err() {
                        // Another thread was first.
                        return;
                    }
                    table.GetObjectField = get;
                    table.GetStaticObjectField = get_static;
                    $(table.$function = $set; table.$of_class = $set_static;)*
                })
            }
        }

        $(
            unsafe extern "system" fn $set(
                env: *mut JNIEnv,
                object: jobject,
                field: jfieldID,
                value: $value,
            ) {
                let Some(plain) = PLAIN.get() else { return };
                // SAFETY: native code calls this with what is right for the JVM's function.
                unsafe {
                    (plain.$set)(env, object, field, value);
                    wrote(env, object, field, false);
                }
            }

            unsafe extern "system" fn $set_static(
                env: *mut JNIEnv,
                class: jclass,
                field: jfieldID,
                value: $value,
            ) {
                let Some(plain) = PLAIN.get() else { return };
                // SAFETY: as above.
                unsafe {
                    (plain.$set_static)(env, class, field, value);
                    wrote(env, class, field, true);
                }
            }
        )*
    };
}

functions! {
    set_object set_static_object SetObjectField SetStaticObjectField jobject;
    set_boolean set_static_boolean SetBooleanField SetStaticBooleanField jboolean;
    set_byte set_static_byte SetByteField SetStaticByteField jbyte;
    set_char set_static_char SetCharField SetStaticCharField jchar;
    set_short set_static_short SetShortField SetStaticShortField jshort;
    set_int set_static_int SetIntField SetStaticIntField jint;
    set_long set_static_long SetLongField SetStaticLongField jlong;
    set_float set_static_float SetFloatField SetStaticFloatField jfloat;
    set_double set_static_double SetDoubleField SetStaticDoubleField jdouble;
}

unsafe extern "system" fn get(env: *mut JNIEnv, object: jobject, field: jfieldID) -> jobject {
    let Some(plain) = PLAIN.get() else {
        return std::ptr::null_mut();
    };
    // SAFETY: native code calls this with what is right for the JVM's function.
    unsafe {
        let value = (plain.get)(env, object, field);
        found(env, value, object, field, false);
        value
    }
}

unsafe extern "system" fn get_static(env: *mut JNIEnv, class: jclass, field: jfieldID) -> jobject {
    let Some(plain) = PLAIN.get() else {
        return std::ptr::null_mut();
    };
    // SAFETY: as above.
    unsafe {
        let value = (plain.get_static)(env, class, field);
        found(env, value, class, field, true);
        value
    }
}

/// A field has been written to.
///
/// # Safety
/// What is given was right for the JVM's function, which has returned.
unsafe fn wrote(env: *mut JNIEnv, on: jobject, field: jfieldID, is_static: bool) {
    // SAFETY: the caller vouches for all of it.
    unsafe {
        tell(
            env,
            on,
            field,
            is_static,
            |frame, runtime, field, object| {
                runtime.wrote.call(frame, &[field, object]);
            },
        );
    }
}

/// An object has been found in a field.
///
/// # Safety
/// As for [`wrote`]; `value` is what the function has returned.
unsafe fn found(env: *mut JNIEnv, value: jobject, on: jobject, field: jfieldID, is_static: bool) {
    if value.is_null() {
        return;
    }
    // SAFETY: the caller vouches for all of it.
    unsafe {
        tell(
            env,
            on,
            field,
            is_static,
            |frame, runtime, field, object| {
                runtime.found.call(frame, &[value, field, object]);
            },
        );
    }
}

/// Tells the runtime of a field, with the object whose field it is, null for none; but not
/// if it is none of the inside, or if the native code must not call anything now.
///
/// # Safety
/// As for [`wrote`].
unsafe fn tell(
    env: *mut JNIEnv,
    on: jobject,
    field: jfieldID,
    is_static: bool,
    word: impl FnOnce(Frame, &Runtime, jobject, jobject),
) {
    if on.is_null() || BUSY.get() {
        return;
    }
    BUSY.set(true);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        SESSION.get()?.live.get()?;
        let runtime = RUNTIME.get()?;
        // SAFETY: the caller vouches for the environment, the object and the field; the
        // references that are made live until the end of this frame.
        unsafe {
            let frame = Frame::of(env)?;
            if frame.is_thrown() || !frame.push() {
                return None;
            }
            let class = if is_static { on } else { frame.class_of(on) };
            if runtime.concerns.is_so(frame, &[class])
                && let Some(field) = frame.reflected(class, field, is_static)
            {
                let object = if is_static { std::ptr::null_mut() } else { on };
                word(frame, runtime, field, object);
            }
            frame.pop();
        }
        Some(())
    }));
    BUSY.set(false);
}
