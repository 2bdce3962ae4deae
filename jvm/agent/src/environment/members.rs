//! What a class declares, and changing a class that is loaded.

use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{jclass, jmethodID};

use super::{Environment, EnvironmentError, check, missing};

impl Environment {
    /// The methods that a class itself declares. Unlike looking one up, this
    /// initialises nothing.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn methods(&self, class: jclass) -> Result<Vec<jmethodID>, EnvironmentError> {
        let call = self.table().GetClassMethods;
        let call = call.ok_or(missing("GetClassMethods"))?;
        let (mut count, mut list) = (0, null_mut());
        // SAFETY: `env` is live, the caller vouches for the class, and both
        // results have a place.
        let code = unsafe { call(self.env.as_ptr(), class, &raw mut count, &raw mut list) };
        check("GetClassMethods", code)?;
        // SAFETY: the JVM has just made this list for us.
        unsafe { self.take_list(count, list) }
    }

    /// Name and descriptor of a method.
    ///
    /// # Safety
    /// `method` is a method of a live class.
    pub(crate) unsafe fn method_name(
        &self,
        method: jmethodID,
    ) -> Result<(String, String), EnvironmentError> {
        let call = self.table().GetMethodName;
        let call = call.ok_or(missing("GetMethodName"))?;
        let (mut name, mut descriptor) = (null_mut(), null_mut());
        // SAFETY: `env` is live, the caller vouches for the method, both
        // results have a place, and nobody wants the generic signature.
        let code = unsafe {
            call(
                self.env.as_ptr(),
                method,
                &raw mut name,
                &raw mut descriptor,
                null_mut(),
            )
        };
        check("GetMethodName", code)?;
        // SAFETY: both strings were allocated for us.
        unsafe { Ok((self.take_text(name)?, self.take_text(descriptor)?)) }
    }

    /// Has the JVM call the load hooks again for a class that is loaded.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn retransform(&self, class: jclass) -> Result<(), EnvironmentError> {
        let call = self.table().RetransformClasses;
        let call = call.ok_or(missing("RetransformClasses"))?;
        // SAFETY: `env` is live, and the caller vouches for the one class.
        let code = unsafe { call(self.env.as_ptr(), 1, &raw const class) };
        check("RetransformClasses", code)
    }
}
