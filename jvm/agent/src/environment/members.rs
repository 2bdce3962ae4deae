//! What a class declares, and changing a class that is loaded.

use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{jclass, jfieldID, jmethodID};
use reprise_classfile::read::access;

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

    /// The fields that a class itself declares: whether static, name, descriptor. This
    /// looks up none of their types.
    ///
    /// # Safety
    /// `class` is a live reference to a class.
    pub(crate) unsafe fn fields(
        &self,
        class: jclass,
    ) -> Result<Vec<(bool, String, String)>, EnvironmentError> {
        let call = self.table().GetClassFields;
        let call = call.ok_or(missing("GetClassFields"))?;
        let (mut count, mut list) = (0, null_mut());
        // SAFETY: `env` is live, the caller vouches for the class, and both
        // results have a place.
        let code = unsafe { call(self.env.as_ptr(), class, &raw mut count, &raw mut list) };
        check("GetClassFields", code)?;
        // SAFETY: the JVM has just made this list for us.
        let fields: Vec<jfieldID> = unsafe { self.take_list(count, list)? };
        // SAFETY: these are fields of that class.
        let named = fields
            .into_iter()
            .map(|field| unsafe { self.field(class, field) });
        named.collect()
    }

    /// Whether a field is static, its name and descriptor.
    ///
    /// # Safety
    /// `field` is a field of the class, which is live.
    unsafe fn field(
        &self,
        class: jclass,
        field: jfieldID,
    ) -> Result<(bool, String, String), EnvironmentError> {
        let get = self.table().GetFieldModifiers;
        let get = get.ok_or(missing("GetFieldModifiers"))?;
        let mut modifiers = 0;
        // SAFETY: `env` is live, the caller vouches for both, and the result has a place.
        let code = unsafe { get(self.env.as_ptr(), class, field, &raw mut modifiers) };
        check("GetFieldModifiers", code)?;
        let call = self.table().GetFieldName;
        let call = call.ok_or(missing("GetFieldName"))?;
        let (mut name, mut descriptor) = (null_mut(), null_mut());
        // SAFETY: `env` is live, the caller vouches for both, both results have a place,
        // and nobody wants the generic signature.
        let code = unsafe {
            call(
                self.env.as_ptr(),
                class,
                field,
                &raw mut name,
                &raw mut descriptor,
                null_mut(),
            )
        };
        check("GetFieldName", code)?;
        let is_static = modifiers & i32::from(access::STATIC) != 0;
        // SAFETY: both strings were allocated for us.
        unsafe {
            Ok((
                is_static,
                self.take_text(name)?,
                self.take_text(descriptor)?,
            ))
        }
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
