//! Who has a monitor, and which classes are loaded.

use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{jclass, jobject};
use jvmti_bindings::sys::jvmti::jvmtiMonitorUsage;

use super::{Environment, EnvironmentError, check, missing};

impl Environment {
    /// The thread that has a monitor, a new local reference; null for none.
    ///
    /// # Safety
    /// `object` is a live reference.
    pub(crate) unsafe fn monitor_owner(
        &self,
        object: jobject,
    ) -> Result<jobject, EnvironmentError> {
        let call = self.table().GetObjectMonitorUsage;
        let call = call.ok_or(missing("GetObjectMonitorUsage"))?;
        let mut usage = jvmtiMonitorUsage {
            owner: null_mut(),
            entry_count: 0,
            waiter_count: 0,
            waiters: null_mut(),
            notify_waiter_count: 0,
            notify_waiters: null_mut(),
        };
        // SAFETY: `env` is live, the caller vouches for the object, and the
        // structure has the layout of the C one.
        let code = unsafe { call(self.env.as_ptr(), object, &raw mut usage) };
        check("GetObjectMonitorUsage", code)?;
        // SAFETY: the JVM has just made both lists for us.
        unsafe {
            self.take_list(usage.waiter_count, usage.waiters)?;
            self.take_list(usage.notify_waiter_count, usage.notify_waiters)?;
        }
        Ok(usage.owner)
    }

    /// All classes that are loaded, new local references.
    pub(crate) fn loaded_classes(&self) -> Result<Vec<jclass>, EnvironmentError> {
        let call = self.table().GetLoadedClasses;
        let call = call.ok_or(missing("GetLoadedClasses"))?;
        let (mut count, mut list) = (0, null_mut());
        // SAFETY: `env` is live, and both results have a place.
        let code = unsafe { call(self.env.as_ptr(), &raw mut count, &raw mut list) };
        check("GetLoadedClasses", code)?;
        // SAFETY: the JVM has just made this list for us.
        unsafe { self.take_list(count, list) }
    }
}
