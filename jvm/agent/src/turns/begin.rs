//! The JVM is initialised: the scheduler begins, before the program does.

use jvmti_bindings::sys::jni::jvalue;

use super::hook::concerns;
use super::{Mode, Session, natives};
use crate::environment::Environment;
use crate::jni::{Frame, long};

/// Changes what is loaded already, and has the scheduler begin.
pub(super) fn begin(session: &Session, frame: Frame) -> Result<(), String> {
    crate::report::add("jvm", &session.environment.java_version());
    let bound = natives::bind(session, frame);
    // The JVM has it open by now; a process that is killed cleans nothing up.
    let _ = std::fs::remove_file(&session.jar);
    let bound = bound.ok_or("the scheduler's classes cannot be used")?;
    let set = session.scheduler.set(bound);
    set.map_err(|_| "the JVM was initialised twice".to_owned())?;
    again(&session.environment, |name| concerns(session, name))?;
    if let Some(values) = &session.values {
        let file = frame.string(values).ok_or("there is no memory")?;
        let signature = c"(Ljava/lang/String;)V";
        // SAFETY: the argument is as the signature says.
        let read =
            unsafe { natives::call(session, frame, c"values", signature, &[jvalue { l: file }]) };
        if !read {
            return Err("the values of the recorded run cannot be read".to_owned());
        }
    }
    // SAFETY: the arguments are as the signatures say.
    let begun = unsafe {
        match &session.mode {
            Mode::Follow {
                plan,
                verbosity,
                patience,
                ..
            } => {
                let plan = frame.string(plan).ok_or("there is no memory")?;
                let arguments = [
                    jvalue { l: plan },
                    jvalue { i: *verbosity },
                    jvalue { i: *patience },
                ];
                let signature = c"(Ljava/lang/String;II)V";
                natives::call(session, frame, c"follow", signature, &arguments)
            }
            Mode::Free { .. } => natives::call(session, frame, c"free", c"()V", &[]),
            Mode::Share { elements, .. } => {
                let arguments = [jvalue { i: *elements }];
                natives::call(session, frame, c"share", c"(I)V", &arguments)
            }
            Mode::Explore {
                serve: Some((requests, answers)),
                ..
            } => {
                let requests = frame.string(requests).ok_or("there is no memory")?;
                let answers = frame.string(answers).ok_or("there is no memory")?;
                let arguments = [jvalue { l: requests }, jvalue { l: answers }];
                let signature = c"(Ljava/lang/String;Ljava/lang/String;)V";
                natives::call(session, frame, c"serve", signature, &arguments)
            }
            Mode::Explore {
                strategy,
                seed,
                steps,
                guide,
                ..
            } => {
                let strategy = frame.string(strategy).ok_or("there is no memory")?;
                let guide = frame.string(guide).ok_or("there is no memory")?;
                let arguments = [
                    jvalue { l: strategy },
                    long(*seed),
                    long(*steps),
                    jvalue { l: guide },
                ];
                let signature = c"(Ljava/lang/String;JJLjava/lang/String;)V";
                natives::call(session, frame, c"explore", signature, &arguments)
            }
        }
    };
    if !begun {
        return Err("the scheduler cannot be started".to_owned());
    }
    if session.values.is_some() {
        // The scheduler has just given final fields of these the values of the recorded run. What
        // was compiled while the JVM started has the old ones in it, and goes with this.
        again(&session.environment, |name| {
            name.starts_with("java/util/ImmutableCollections")
        })?;
    }
    Ok(())
}

/// Has the load hook called again for the classes that are loaded and meant.
fn again(environment: &Environment, meant: impl Fn(&str) -> bool) -> Result<(), String> {
    let classes = environment.loaded_classes();
    for class in classes.map_err(|error| error.to_string())? {
        // SAFETY: the JVM has just made these references.
        unsafe {
            let name = environment.class_name(class).unwrap_or_default();
            if meant(&name) {
                environment
                    .retransform(class)
                    .map_err(|error| format!("{name} cannot be changed: {error}"))?;
            }
        }
    }
    Ok(())
}
