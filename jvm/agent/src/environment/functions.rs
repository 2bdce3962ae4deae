//! The functions that native code calls.

use std::ptr::NonNull;

use jvmti_bindings::sys::jni::JNINativeInterface_;

use super::{Environment, EnvironmentError, check, missing};

impl Environment {
    /// Changes the functions that native code calls, from here on and for all threads.
    ///
    /// # Safety
    /// What takes the place of a function does what that does, and stays loaded.
    pub(crate) unsafe fn change_functions(
        &self,
        change: impl FnOnce(&mut JNINativeInterface_),
    ) -> Result<(), EnvironmentError> {
        let get = self.table().GetJNIFunctionTable;
        let get = get.ok_or(missing("GetJNIFunctionTable"))?;
        let set = self.table().SetJNIFunctionTable;
        let set = set.ok_or(missing("SetJNIFunctionTable"))?;
        let free = self.table().Deallocate.ok_or(missing("Deallocate"))?;
        let mut copy = std::ptr::null_mut();
        // SAFETY: `env` is live, and there is a place for one pointer.
        let code = unsafe { get(self.env.as_ptr(), &raw mut copy) };
        check("GetJNIFunctionTable", code)?;
        let copy = NonNull::new(copy).ok_or(missing("GetJNIFunctionTable"))?;
        // SAFETY: the JVM has just made this copy for us. Its table may be longer than
        // the one that is known here, which later versions only add to; so it is changed
        // where it is, and handed back whole.
        unsafe {
            change(&mut *copy.as_ptr());
            let code = set(self.env.as_ptr(), copy.as_ptr());
            free(self.env.as_ptr(), copy.as_ptr().cast());
            check("SetJNIFunctionTable", code)
        }
    }
}
