//! The JVM TI environment: the agent's handle on the JVM.
//!
//! Every call into the JVM goes through here, so that the rest of the agent
//! contains no `unsafe` of its own.

mod functions;
mod members;
mod monitors;

use std::ffi::{CStr, c_char};
use std::fmt;
use std::ptr::{NonNull, null_mut};

use jvmti_bindings::sys::jni::{JNI_OK, JavaVM, jclass, jfieldID, jint, jmethodID, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv, jvmtiError, jvmtiEvent,
    jvmtiEventCallbacks, jvmtiInterface_1_,
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

// SAFETY: JVM TI functions may be called from any thread on any environment.
unsafe impl Send for Environment {}
// SAFETY: as above.
unsafe impl Sync for Environment {}

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
        let mut value: *mut c_char = null_mut();
        // SAFETY: `env` is live, `name` ends with a zero byte, and `value` is a
        // place to write one pointer to.
        let code = unsafe { get(self.env.as_ptr(), name.as_ptr(), &raw mut value) };
        check("GetSystemProperty", code)?;
        // SAFETY: the call succeeded, so `value` is the JVM's string for us.
        unsafe { self.take_text(value) }
    }

    /// The version of Java. Not `java.version`, which Java code sets and some
    /// JVMs do not know of.
    pub(crate) fn java_version(&self) -> String {
        self.property(c"java.vm.version").unwrap_or_default()
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

    /// Adds a jar to what the bootstrap loader searches.
    pub(crate) fn add_to_bootstrap(&self, jar: &CStr) -> Result<(), EnvironmentError> {
        let call = self.table().AddToBootstrapClassLoaderSearch;
        let call = call.ok_or(missing("AddToBootstrapClassLoaderSearch"))?;
        // SAFETY: `env` is live and `jar` ends with a zero byte.
        let code = unsafe { call(self.env.as_ptr(), jar.as_ptr()) };
        check("AddToBootstrapClassLoaderSearch", code)
    }

    /// Has these callbacks called for these events.
    pub(crate) fn listen(
        &self,
        callbacks: &jvmtiEventCallbacks,
        events: &[jvmtiEvent],
    ) -> Result<(), EnvironmentError> {
        let set = self.table().SetEventCallbacks;
        let set = set.ok_or(missing("SetEventCallbacks"))?;
        let enable = self.table().SetEventNotificationMode;
        let enable = enable.ok_or(missing("SetEventNotificationMode"))?;
        let size = jint::try_from(size_of::<jvmtiEventCallbacks>()).unwrap_or(jint::MAX);
        // SAFETY: `env` is live, and the JVM copies the structure, whose size
        // is given.
        let code = unsafe { set(self.env.as_ptr(), callbacks, size) };
        check("SetEventCallbacks", code)?;
        for event in events {
            // SAFETY: `env` is live; a null thread means all threads.
            let code = unsafe { enable(self.env.as_ptr(), JVMTI_ENABLE, *event, null_mut()) };
            check("SetEventNotificationMode", code)?;
        }
        Ok(())
    }

    /// Memory that belongs to the JVM, filled with `bytes`, for a class file
    /// that replaces another.
    pub(crate) fn copy_for_jvm(&self, bytes: &[u8]) -> Result<*mut u8, EnvironmentError> {
        let call = self.table().Allocate.ok_or(missing("Allocate"))?;
        let mut memory = null_mut();
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        // SAFETY: `env` is live and `memory` is a place to write a pointer to.
        let code = unsafe { call(self.env.as_ptr(), size, &raw mut memory) };
        check("Allocate", code)?;
        // SAFETY: the JVM has allocated that many bytes, which overlap nothing.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Ok(memory)
    }

    /// The number that was given to an object; 0 for none.
    ///
    /// # Safety
    /// `object` is a live local or global reference.
    pub(crate) unsafe fn tag(&self, object: jobject) -> Result<i64, EnvironmentError> {
        let call = self.table().GetTag.ok_or(missing("GetTag"))?;
        let mut tag = 0;
        // SAFETY: `env` is live, and the caller vouches for the object.
        let code = unsafe { call(self.env.as_ptr(), object, &raw mut tag) };
        check("GetTag", code).map(|()| tag)
    }

    /// Gives an object a number, which goes away with it.
    ///
    /// # Safety
    /// `object` is a live local or global reference.
    pub(crate) unsafe fn set_tag(&self, object: jobject, tag: i64) -> Result<(), EnvironmentError> {
        let call = self.table().SetTag.ok_or(missing("SetTag"))?;
        // SAFETY: `env` is live, and the caller vouches for the object.
        let code = unsafe { call(self.env.as_ptr(), object, tag) };
        check("SetTag", code)
    }

    /// The name of a class: `java/lang/String`, `[I`.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn class_name(&self, class: jclass) -> Result<String, EnvironmentError> {
        let get = self.table().GetClassSignature;
        let get = get.ok_or(missing("GetClassSignature"))?;
        let mut text = null_mut();
        // SAFETY: `env` is live, the caller vouches for the class, and what is
        // not wanted may be null.
        let code = unsafe { get(self.env.as_ptr(), class, &raw mut text, null_mut()) };
        check("GetClassSignature", code)?;
        // SAFETY: the call succeeded, so `text` is the JVM's string for us.
        let signature = unsafe { self.take_text(text) }?;
        let name = signature
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'));
        Ok(like_hidden(name.unwrap_or(&signature)))
    }

    /// The loader of a class, a new local reference; null for the bootstrap
    /// loader.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn loader(&self, class: jclass) -> Result<jobject, EnvironmentError> {
        let call = self.table().GetClassLoader;
        let call = call.ok_or(missing("GetClassLoader"))?;
        let mut loader = null_mut();
        // SAFETY: `env` is live, and the caller vouches for the class.
        let code = unsafe { call(self.env.as_ptr(), class, &raw mut loader) };
        check("GetClassLoader", code).map(|()| loader)
    }

    /// The interfaces a class implements directly, new local references.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn interfaces(&self, class: jclass) -> Result<Vec<jclass>, EnvironmentError> {
        let call = self.table().GetImplementedInterfaces;
        let call = call.ok_or(missing("GetImplementedInterfaces"))?;
        let (mut count, mut list) = (0, null_mut());
        // SAFETY: `env` is live, the caller vouches for the class, and both
        // results have a place.
        let code = unsafe { call(self.env.as_ptr(), class, &raw mut count, &raw mut list) };
        check("GetImplementedInterfaces", code)?;
        // SAFETY: the JVM has just made this list for us.
        unsafe { self.take_list(count, list) }
    }

    /// Copies a list that the JVM made for us, and frees it.
    ///
    /// # Safety
    /// `list` is null or was allocated by this environment, holds `count`
    /// elements, and is not used afterwards.
    unsafe fn take_list<T: Copy>(
        &self,
        count: jint,
        list: *mut T,
    ) -> Result<Vec<T>, EnvironmentError> {
        let free = self.table().Deallocate.ok_or(missing("Deallocate"))?;
        let length = usize::try_from(count).unwrap_or(0);
        let found = match (list.is_null(), length) {
            (true, _) | (_, 0) => Vec::new(),
            // SAFETY: the caller says that so many elements stand there.
            _ => unsafe { std::slice::from_raw_parts(list, length) }.to_vec(),
        };
        // SAFETY: the list was allocated for us and is freed once.
        let _ = unsafe { free(self.env.as_ptr(), list.cast()) };
        Ok(found)
    }

    /// The class that declares a method, a new local reference, and the
    /// method's access flags.
    ///
    /// # Safety
    /// `method` is a method of a live class.
    pub(crate) unsafe fn method_origin(
        &self,
        method: jmethodID,
    ) -> Result<(jclass, jint), EnvironmentError> {
        let get = self.table().GetMethodDeclaringClass;
        let get = get.ok_or(missing("GetMethodDeclaringClass"))?;
        let modifiers = self.table().GetMethodModifiers;
        let modifiers = modifiers.ok_or(missing("GetMethodModifiers"))?;
        let (mut class, mut flags) = (null_mut(), 0);
        // SAFETY: `env` is live, and the caller vouches for the method.
        let code = unsafe { get(self.env.as_ptr(), method, &raw mut class) };
        check("GetMethodDeclaringClass", code)?;
        // SAFETY: the same.
        let code = unsafe { modifiers(self.env.as_ptr(), method, &raw mut flags) };
        check("GetMethodModifiers", code)?;
        Ok((class, flags))
    }

    /// The class that declares a field, a new local reference.
    ///
    /// # Safety
    /// `field` is a field of `class`, which is live.
    pub(crate) unsafe fn field_origin(
        &self,
        class: jclass,
        field: jfieldID,
    ) -> Result<jclass, EnvironmentError> {
        let call = self.table().GetFieldDeclaringClass;
        let call = call.ok_or(missing("GetFieldDeclaringClass"))?;
        let mut origin = null_mut();
        // SAFETY: `env` is live, and the caller vouches for class and field.
        let code = unsafe { call(self.env.as_ptr(), class, field, &raw mut origin) };
        check("GetFieldDeclaringClass", code).map(|()| origin)
    }

    /// Lets one module use a package of another that is not exported to it.
    ///
    /// # Safety
    /// Both are live references to modules.
    pub(crate) unsafe fn export(
        &self,
        module: jobject,
        package: &CStr,
        to: jobject,
    ) -> Result<(), EnvironmentError> {
        let call = self.table().AddModuleExports;
        let call = call.ok_or(missing("AddModuleExports"))?;
        // SAFETY: `env` is live, and the caller vouches for the modules.
        let code = unsafe { call(self.env.as_ptr(), module, package.as_ptr(), to) };
        check("AddModuleExports", code)
    }

    /// Lets the named module that has this package in this loader, if there is
    /// one, see the classes of another module.
    ///
    /// # Safety
    /// Both are live references, to a class loader or null, and to a module.
    pub(crate) unsafe fn let_read(
        &self,
        loader: jobject,
        package: &CStr,
        to: jobject,
    ) -> Result<(), EnvironmentError> {
        let find = self.table().GetNamedModule;
        let find = find.ok_or(missing("GetNamedModule"))?;
        let add = self.table().AddModuleReads;
        let add = add.ok_or(missing("AddModuleReads"))?;
        let mut module = null_mut();
        // SAFETY: `env` is live, and the caller vouches for the loader.
        let code = unsafe { find(self.env.as_ptr(), loader, package.as_ptr(), &raw mut module) };
        check("GetNamedModule", code)?;
        if module.is_null() {
            return Ok(());
        }
        // SAFETY: the module was just found, and the caller vouches for `to`.
        let code = unsafe { add(self.env.as_ptr(), module, to) };
        check("AddModuleReads", code)
    }

    /// Copies and frees a string that the JVM allocated for us.
    ///
    /// # Safety
    /// `text` is such a string, and is not used again.
    unsafe fn take_text(&self, text: *mut c_char) -> Result<String, EnvironmentError> {
        let free = self.table().Deallocate.ok_or(missing("Deallocate"))?;
        // SAFETY: the caller vouches for the string.
        let copy = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        // SAFETY: it was allocated by the JVM for us and is freed once.
        let code = unsafe { free(self.env.as_ptr(), text.cast()) };
        check("Deallocate", code).map(|()| copy)
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

/// Before Java 15 the number of a lambda's class stood behind a slash, as if the
/// rest were its package; since then it is an address behind a dot.
fn like_hidden(name: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match name.rsplit_once('/') {
        Some((class, number)) if is_number(number) => format!("{class}.{number}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::like_hidden;

    #[test]
    fn classes_of_lambdas_are_named_alike() {
        assert_eq!(like_hidden("p/Main$$Lambda$10/65"), "p/Main$$Lambda$10.65");
        assert_eq!(like_hidden("p/Main$$Lambda.0x7f"), "p/Main$$Lambda.0x7f");
        assert_eq!(like_hidden("p/Main$1"), "p/Main$1");
    }
}
