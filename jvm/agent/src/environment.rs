//! The JVM TI environment: the agent's handle on the JVM.
//!
//! Every call into the JVM goes through here, so that the rest of the agent
//! contains no `unsafe` of its own.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::ptr::{NonNull, null_mut};

use jvmti_bindings::sys::jni::{JNI_OK, JavaVM, jint};
use jvmti_bindings::sys::jvmti::{
    JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv, jvmtiError, jvmtiInterface_1_,
};

/// A JVM TI environment, given back to the JVM when it is dropped.
pub(crate) struct Environment {
    env: NonNull<jvmtiEnv>,
}

/// Why the JVM would not do what it was asked.
#[derive(Debug)]
pub(crate) enum EnvironmentError {
    /// The JVM has no JVM TI of version 11 or later.
    TooOld { code: jint },
    /// The function is missing from the JVM's table.
    Missing { function: &'static str },
    /// The function was called and failed.
    Refused { function: &'static str, code: jint },
}

impl Environment {
    /// Asks a JVM for an environment of JVM TI 11, the oldest release Reprise
    /// records.
    ///
    /// # Safety
    ///
    /// `vm` must be what the JVM handed to `Agent_OnLoad`, and that call must
    /// not have returned yet.
    pub(crate) unsafe fn of(vm: *mut JavaVM) -> Result<Self, EnvironmentError> {
        let mut env = null_mut();
        // SAFETY: the caller guarantees that `vm` points at the JVM's function
        // table; `env` is a place to write one pointer to.
        let code = unsafe { ((**vm).GetEnv)(vm, &raw mut env, JVMTI_VERSION_11) };
        if code != JNI_OK {
            return Err(EnvironmentError::TooOld { code });
        }
        let env = NonNull::new(env.cast()).ok_or(EnvironmentError::TooOld { code })?;
        Ok(Self { env })
    }

    /// The version of JVM TI this JVM speaks, such as `17.0.0`.
    pub(crate) fn version(&self) -> Result<String, EnvironmentError> {
        let call = self.table().GetVersionNumber;
        let call = call.ok_or(missing("GetVersionNumber"))?;
        let mut version = 0;
        // SAFETY: `env` is live until this value is dropped, and `version` is a
        // place to write one `jint` to.
        let code = unsafe { call(self.env.as_ptr(), &raw mut version) };
        check("GetVersionNumber", code)?;
        let (major, minor, micro) = (
            (version >> 16) & 0xfff,
            (version >> 8) & 0xff,
            version & 0xff,
        );
        Ok(format!("{major}.{minor}.{micro}"))
    }

    /// A system property. In the loading phase only those the JVM itself
    /// defines can be read.
    pub(crate) fn property(&self, name: &CStr) -> Result<String, EnvironmentError> {
        let get = self.table().GetSystemProperty;
        let get = get.ok_or(missing("GetSystemProperty"))?;
        let free = self.table().Deallocate.ok_or(missing("Deallocate"))?;
        let mut value: *mut c_char = null_mut();
        // SAFETY: `env` is live, `name` ends with a zero byte, and `value` is a
        // place to write one pointer to.
        let code = unsafe { get(self.env.as_ptr(), name.as_ptr(), &raw mut value) };
        check("GetSystemProperty", code)?;
        // SAFETY: the call succeeded, so `value` is a string that ends with a
        // zero byte and belongs to us until it is deallocated below.
        let text = unsafe { CStr::from_ptr(value) };
        let text = text.to_string_lossy().into_owned();
        // SAFETY: `value` was allocated by the JVM for us, is deallocated once,
        // and nothing refers to it any more: `text` is a copy.
        let code = unsafe { free(self.env.as_ptr(), value.cast()) };
        check("Deallocate", code)?;
        Ok(text)
    }

    /// The capabilities this JVM could give to an agent at this moment.
    pub(crate) fn potential(&self) -> Result<jvmtiCapabilities, EnvironmentError> {
        let call = self.table().GetPotentialCapabilities;
        let call = call.ok_or(missing("GetPotentialCapabilities"))?;
        let mut capabilities = jvmtiCapabilities::default();
        // SAFETY: `env` is live and `capabilities` has the size and layout of
        // the C structure.
        let code = unsafe { call(self.env.as_ptr(), &raw mut capabilities) };
        check("GetPotentialCapabilities", code)?;
        Ok(capabilities)
    }

    /// Takes capabilities: all of them or, with an error, none.
    pub(crate) fn take(&self, wanted: &jvmtiCapabilities) -> Result<(), EnvironmentError> {
        let call = self.table().AddCapabilities;
        let call = call.ok_or(missing("AddCapabilities"))?;
        // SAFETY: `env` is live and `wanted` has the layout of the C structure,
        // which the JVM only reads.
        let code = unsafe { call(self.env.as_ptr(), wanted) };
        check("AddCapabilities", code)
    }

    fn table(&self) -> &jvmtiInterface_1_ {
        // SAFETY: an environment stays valid until it is disposed of, which
        // happens in `drop`; its table lives as long as the JVM. The table of
        // JVM TI 11 or later has every entry the structure declares.
        unsafe { &*self.env.as_ref().functions }
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if let Some(call) = self.table().DisposeEnvironment {
            // SAFETY: `env` is live, and this is its last use.
            let _ = unsafe { call(self.env.as_ptr()) };
        }
    }
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooOld { code } => write!(
                out,
                "this JVM has no JVM TI of version 11 or later (GetEnv returned {code})"
            ),
            Self::Missing { function } => write!(out, "this JVM has no {function}"),
            Self::Refused { function, code } => {
                write!(out, "{function} failed with JVM TI error {code}")
            }
        }
    }
}

fn missing(function: &'static str) -> EnvironmentError {
    EnvironmentError::Missing { function }
}

fn check(function: &'static str, code: jvmtiError) -> Result<(), EnvironmentError> {
    if code == jvmtiError::NONE {
        Ok(())
    } else {
        let code = code.raw();
        Err(EnvironmentError::Refused { function, code })
    }
}
