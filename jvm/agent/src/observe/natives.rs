//! What the Java runtime calls, and how it is started.
//!
//! The functions are bound to the methods of `java.reprise.Native`, and
//! nobody else can call them. None of them lets a panic into the JVM.

use std::ffi::{CStr, CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{
    JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jstring, jvalue,
};

use reprise_jvm_events::table::{Exported, Skipped};
use reprise_probes::pure::runs_on_values;

use super::{Live, SESSION, Session, count, shape};
use crate::jni::{Frame, Global, long};

const PUTSTATIC: u8 = 179;
const PUTFIELD: u8 = 181;

/// Binds the runtime's native methods and lets it use the JDK's `Unsafe`.
/// Returns the module of the runtime.
pub(super) fn bind(session: &Session, frame: Frame) -> Option<Global> {
    let native = frame.find_class(c"java/reprise/Native")?;
    let object = frame.find_class(c"java/lang/Object")?;
    // SAFETY: both classes were just found, and modules live as long as they
    // do; the functions have the signatures that are given.
    unsafe {
        let module = frame.module(native)?;
        let base = frame.module(object)?;
        let package = c"jdk.internal.misc";
        session.environment.export(base, package, module).ok()?;
        let bound = frame.register(
            native,
            &[
                (
                    c"classInfo",
                    c"(Ljava/lang/Class;Z)J",
                    class_info as *mut c_void,
                ),
                (c"leaves", c"(Ljava/lang/Class;I)Z", leaves as *mut c_void),
                (
                    c"declares",
                    c"(Ljava/lang/Class;I)Z",
                    declares as *mut c_void,
                ),
                (
                    c"refersOutside",
                    c"(Ljava/lang/Class;I)Z",
                    refers_outside as *mut c_void,
                ),
                (
                    c"fields",
                    c"(Ljava/lang/Class;)Ljava/lang/String;",
                    fields as *mut c_void,
                ),
                (c"leavesValue", c"(I)Z", leaves_value as *mut c_void),
                (c"stripe", c"(I)I", stripe as *mut c_void),
                (c"value", c"([B)I", value as *mut c_void),
                (c"counted", c"([B)V", counted as *mut c_void),
                (c"skipped", c"(Ljava/lang/String;)V", skipped as *mut c_void),
                (
                    c"fieldSite",
                    c"(ILjava/lang/Class;Ljava/lang/String;Ljava/lang/String;Z)I",
                    field_site as *mut c_void,
                ),
                (
                    c"exported",
                    c"(Ljava/lang/String;Ljava/lang/String;)V",
                    exported as *mut c_void,
                ),
                (
                    c"left",
                    c"(Ljava/lang/String;Ljava/lang/String;)V",
                    left as *mut c_void,
                ),
            ],
        );
        bound.then(|| frame.global(module))
    }
}

/// Initialises the runtime's classes. Later, in the middle of the loading of a
/// class, that could need what another thread is just initialising.
pub(super) fn prepare(frame: Frame) -> bool {
    run(frame, c"java/reprise/Recorders", c"prepare")
}

/// Runs a method of the runtime that has neither arguments nor a result.
pub(super) fn run(frame: Frame, class: &CStr, method: &CStr) -> bool {
    let Some(class) = frame.find_class(class) else {
        return false;
    };
    // SAFETY: the class was just found, and there are no arguments.
    unsafe { frame.call_static(class, method, c"()V", &[]) }
}

/// Tells the runtime where the spool is.
pub(super) fn start(frame: Frame, address: usize, oracle: bool, races: bool) -> bool {
    let Some(class) = frame.find_class(c"java/reprise/Recorders") else {
        return false;
    };
    let address = long(i64::try_from(address).unwrap_or(0));
    let process = jvalue {
        i: std::process::id().cast_signed(),
    };
    let oracle = jvalue { z: oracle.into() };
    let races = jvalue { z: races.into() };
    let arguments = [address, process, oracle, races];
    // SAFETY: the class was just found, and the arguments are a long, an int
    // and two booleans.
    unsafe { frame.call_static(class, c"start", c"(JIZZ)V", &arguments) }
}

/// Runs `body` with the session, if there is one; `otherwise` if not, or if it
/// panics.
fn with_session<T>(
    env: *mut JNIEnv,
    otherwise: T,
    body: impl FnOnce(&Session, &Live, Frame) -> T,
) -> T {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get()?;
        let live = session.live.get()?;
        // SAFETY: the JVM calls these functions with its own environment.
        let frame = unsafe { Frame::of(env) }?;
        Some(body(session, live, frame))
    }));
    outcome.ok().flatten().unwrap_or(otherwise)
}

extern "system" fn class_info(
    env: *mut JNIEnv,
    _: jclass,
    class: jclass,
    is_foreign: jboolean,
) -> jlong {
    with_session(env, 0, |session, live, frame| {
        // SAFETY: the runtime passes a class object, which is live.
        unsafe {
            let Ok(name) = session.environment.class_name(class) else {
                return 0;
            };
            let loader = session.environment.loader(class).unwrap_or_default();
            let loader = session.loader(live, frame, loader);
            let inside = is_foreign == 0 && session.patterns.is_inside(&name);
            let id = live.tables.class(loader, inside, &name);
            if !inside
                && shape::is_generated(&name)
                && let Ok(shape) = session.shape(frame, class)
            {
                live.tables.shape(id, shape);
            }
            let copies_unseen = live.tables.copies_unseen(id);
            jlong::from(id) << 2 | jlong::from(copies_unseen) << 1 | jlong::from(inside)
        }
    })
}

extern "system" fn leaves(env: *mut JNIEnv, _: jclass, class: jclass, site: jint) -> jboolean {
    let leaves = with_session(env, false, |session, live, frame| {
        let site = site.cast_unsigned();
        // SAFETY: the runtime passes the class of an object.
        unsafe { session.leaves(live, frame, class, site) }
    });
    leaves.into()
}

extern "system" fn declares(env: *mut JNIEnv, _: jclass, class: jclass, site: jint) -> jboolean {
    let declares = with_session(env, false, |session, live, _| {
        let named = live.tables.site(site.cast_unsigned());
        // SAFETY: the runtime passes the class of an object.
        named.is_some_and(|named| unsafe { session.declares(class, &named).is_some() })
    });
    declares.into()
}

extern "system" fn refers_outside(
    env: *mut JNIEnv,
    _: jclass,
    owner: jclass,
    site: jint,
) -> jboolean {
    let outside = with_session(env, false, |session, live, frame| {
        let site = site.cast_unsigned();
        // SAFETY: the runtime passes a class, which is live.
        unsafe { session.refers_outside(live, frame, owner, site) }
    });
    outside.into()
}

/// What `Native.fields` says.
extern "system" fn fields(env: *mut JNIEnv, _: jclass, class: jclass) -> jstring {
    with_session(env, null_mut(), |session, _, frame| {
        // SAFETY: the runtime passes a class, which is live.
        let Ok(fields) = (unsafe { session.environment.fields(class) }) else {
            return null_mut();
        };
        let mut text = String::new();
        for (is_static, name, descriptor) in fields {
            let kind = if is_static { "static" } else { "own" };
            text += &format!("{kind}.{name}.{descriptor}.");
        }
        let text = CString::new(text).ok();
        text.and_then(|text| frame.string(&text))
            .unwrap_or(null_mut())
    })
}

extern "system" fn leaves_value(env: *mut JNIEnv, _: jclass, site: jint) -> jboolean {
    let leaves = with_session(env, false, |_, live, _| {
        let named = live.tables.site(site.cast_unsigned());
        named.is_some_and(|named| !runs_on_values(&named.name, &named.descriptor))
    });
    leaves.into()
}

extern "system" fn stripe(env: *mut JNIEnv, _: jclass, site: jint) -> jint {
    with_session(env, -1, |_, live, _| {
        let stripe = live.tables.stripe(site.cast_unsigned());
        stripe.map_or(-1, u32::cast_signed)
    })
}

extern "system" fn value(env: *mut JNIEnv, _: jclass, constant: jbyteArray) -> jint {
    with_session(env, 0, |_, live, frame| {
        // SAFETY: the runtime passes an array.
        let constant = unsafe { frame.bytes(constant) };
        live.tables.value(&constant).cast_signed()
    })
}

extern "system" fn counted(env: *mut JNIEnv, _: jclass, text: jbyteArray) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let session = SESSION.get()?;
        // SAFETY: the JVM calls this with its own environment, and the runtime
        // passes an array.
        let text = unsafe { Frame::of(env)?.bytes(text) };
        count::write(session, &text);
        Some(())
    }));
}

extern "system" fn field_site(
    env: *mut JNIEnv,
    _: jclass,
    site: jint,
    owner: jclass,
    name: jstring,
    descriptor: jstring,
    is_static: jboolean,
) -> jint {
    with_session(env, 0, |session, live, frame| {
        // SAFETY: the runtime passes a class and two strings.
        let (class, loader, name, descriptor) = unsafe {
            let class = session.environment.class_name(owner);
            let loader = session.environment.loader(owner).unwrap_or_default();
            let loader = session.loader(live, frame, loader);
            (class, loader, frame.text(name), frame.text(descriptor))
        };
        let opcode = if is_static != 0 { PUTSTATIC } else { PUTFIELD };
        let class = class.unwrap_or_default();
        let place = match site {
            // Native code has no place that could be told.
            0 => {
                let inside = session.patterns.is_inside(&class);
                let number = live.tables.class(loader, inside, &class);
                live.tables.somewhere(number)
            }
            site => match live.tables.place(site.cast_unsigned()) {
                Some(place) => place,
                None => return 0,
            },
        };
        let made = live.tables.site_at(place, opcode, class, name, descriptor);
        made.cast_signed()
    })
}

extern "system" fn left(env: *mut JNIEnv, _: jclass, what: jstring, why: jstring) {
    with_session(env, (), |_, live, frame| {
        // SAFETY: the runtime passes two strings.
        let (class, why) = unsafe { (frame.text(what), frame.text(why)) };
        let method = String::new();
        live.tables.skipped(Skipped { class, method, why });
    });
}

extern "system" fn exported(env: *mut JNIEnv, _: jclass, module: jstring, package: jstring) {
    with_session(env, (), |_, live, frame| {
        // SAFETY: the runtime passes two strings.
        let (module, package) = unsafe { (frame.text(module), frame.text(package)) };
        live.tables.exported(Exported { module, package });
    });
}

extern "system" fn skipped(env: *mut JNIEnv, _: jclass, thread: jstring) {
    with_session(env, (), |_, live, frame| {
        // SAFETY: the runtime passes the thread's name.
        let name = unsafe { frame.text(thread) };
        live.tables.skipped(Skipped {
            class: format!("thread {name}"),
            method: String::new(),
            why: "no ring of the spool was free".to_owned(),
        });
    });
}
