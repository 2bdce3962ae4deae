//! The calls into the JVM that go through JNI instead of JVM TI.
//!
//! A [`Frame`] stands for a callback that is running: references it returns
//! live until the callback returns to the JVM. Whatever a call throws is
//! cleared here: nothing of the recorder's may reach the subject.

use std::ffi::{CStr, CString, c_void};
use std::ptr::NonNull;

use jvmti_bindings::sys::jni::{
    JNIEnv, JNINativeInterface_, JNINativeMethod, jbyteArray, jclass, jfieldID, jlong, jmethodID,
    jobject, jstring, jvalue,
};

/// The JNI environment of the thread that runs a callback.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    env: NonNull<JNIEnv>,
}

/// A reference that lives as long as the JVM.
pub(crate) struct Global(jobject);

// SAFETY: a global reference may be used by any thread.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl Global {
    pub(crate) fn get(&self) -> jobject {
        self.0
    }
}

/// A static method of a class that stays.
pub(crate) struct Method {
    class: Global,
    id: jmethodID,
}

// SAFETY: the number of a method may be used by any thread while its class is there,
// which the reference sees to.
unsafe impl Send for Method {}
// SAFETY: as above.
unsafe impl Sync for Method {}

impl Method {
    /// Calls it, if it has no result.
    ///
    /// # Safety
    /// The arguments are as its signature says: references, all of them.
    pub(crate) unsafe fn call(&self, frame: Frame, arguments: &[jobject]) {
        let call = frame.table().CallStaticVoidMethodA;
        let arguments = references(arguments);
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            call(
                frame.env.as_ptr(),
                self.class.0,
                self.id,
                arguments.as_ptr(),
            );
        }
        frame.clear();
    }

    /// Calls it, if its result is a boolean; no if it throws.
    ///
    /// # Safety
    /// As for [`Method::call`].
    pub(crate) unsafe fn is_so(&self, frame: Frame, arguments: &[jobject]) -> bool {
        let call = frame.table().CallStaticBooleanMethodA;
        let arguments = references(arguments);
        // SAFETY: the caller vouches for the arguments.
        let so = unsafe {
            call(
                frame.env.as_ptr(),
                self.class.0,
                self.id,
                arguments.as_ptr(),
            )
        };
        !frame.clear() && so != 0
    }
}

fn references(all: &[jobject]) -> Vec<jvalue> {
    all.iter().map(|one| jvalue { l: *one }).collect()
}

impl Frame {
    /// # Safety
    /// `env` is what the JVM handed to a callback or native method that has
    /// not returned yet, or null.
    pub(crate) unsafe fn of(env: *mut JNIEnv) -> Option<Self> {
        NonNull::new(env).map(|env| Self { env })
    }

    fn table(&self) -> &JNINativeInterface_ {
        // SAFETY: the environment is valid during the callback, and its table
        // as long as the JVM.
        unsafe { &**self.env.as_ref() }
    }

    /// A class that the bootstrap or system loader finds.
    pub(crate) fn find_class(&self, name: &CStr) -> Option<jclass> {
        // SAFETY: the environment is live and the name ends with a zero byte.
        let class = unsafe { (self.table().FindClass)(self.env.as_ptr(), name.as_ptr()) };
        self.clear();
        (!class.is_null()).then_some(class)
    }

    /// Binds native methods: name, signature, function.
    ///
    /// # Safety
    /// `class` is live, and each function has the signature that is given.
    pub(crate) unsafe fn register(
        &self,
        class: jclass,
        methods: &[(&CStr, &CStr, *mut c_void)],
    ) -> bool {
        let methods: Vec<JNINativeMethod> = methods
            .iter()
            .map(|(name, signature, function)| JNINativeMethod {
                name: name.as_ptr(),
                signature: signature.as_ptr(),
                fnPtr: *function,
            })
            .collect();
        let count = i32::try_from(methods.len()).unwrap_or(0);
        // SAFETY: the caller vouches for class and functions; the JVM reads
        // `count` entries.
        let code = unsafe {
            (self.table().RegisterNatives)(self.env.as_ptr(), class, methods.as_ptr(), count)
        };
        self.clear();
        code == 0
    }

    /// Calls a static method without a result; false if it threw.
    ///
    /// # Safety
    /// `class` is live, and the arguments are as the signature says.
    pub(crate) unsafe fn call_static(
        &self,
        class: jclass,
        name: &CStr,
        signature: &CStr,
        arguments: &[jvalue],
    ) -> bool {
        let table = self.table();
        let env = self.env.as_ptr();
        // SAFETY: the caller vouches for the class; both texts end with zero.
        let method =
            unsafe { (table.GetStaticMethodID)(env, class, name.as_ptr(), signature.as_ptr()) };
        if method.is_null() {
            self.clear();
            return false;
        }
        // SAFETY: the method exists and the caller vouches for its arguments.
        unsafe { (table.CallStaticVoidMethodA)(env, class, method, arguments.as_ptr()) };
        !self.clear()
    }

    /// A static method, to be called often.
    ///
    /// # Safety
    /// `class` is live, and one that the JVM does not unload.
    pub(crate) unsafe fn static_method(
        &self,
        class: jclass,
        name: &CStr,
        signature: &CStr,
    ) -> Option<Method> {
        let get = self.table().GetStaticMethodID;
        // SAFETY: the caller vouches for the class; both texts end with zero.
        let id = unsafe { get(self.env.as_ptr(), class, name.as_ptr(), signature.as_ptr()) };
        self.clear();
        // SAFETY: the caller vouches for the class.
        (!id.is_null()).then(|| unsafe {
            let class = self.global(class);
            Method { class, id }
        })
    }

    /// Makes room for a few references, which [`Frame::pop`] gives back.
    pub(crate) fn push(&self) -> bool {
        const FEW: i32 = 8;
        // SAFETY: the environment is live.
        let pushed = unsafe { (self.table().PushLocalFrame)(self.env.as_ptr(), FEW) } == 0;
        if !pushed {
            self.clear();
        }
        pushed
    }

    pub(crate) fn pop(&self) {
        // SAFETY: the environment is live, and what was pushed is there.
        unsafe { (self.table().PopLocalFrame)(self.env.as_ptr(), std::ptr::null_mut()) };
    }

    /// Whether something was thrown that nobody has caught yet.
    pub(crate) fn is_thrown(&self) -> bool {
        // SAFETY: this may be called at any time.
        unsafe { (self.table().ExceptionCheck)(self.env.as_ptr()) != 0 }
    }

    /// The object that stands for a field.
    ///
    /// # Safety
    /// `class` is live, and has the field.
    pub(crate) unsafe fn reflected(
        &self,
        class: jclass,
        field: jfieldID,
        is_static: bool,
    ) -> Option<jobject> {
        let get = self.table().ToReflectedField;
        // SAFETY: the caller vouches for both.
        let found = unsafe { get(self.env.as_ptr(), class, field, is_static.into()) };
        self.clear();
        (!found.is_null()).then_some(found)
    }

    /// A string of the JVM.
    pub(crate) fn string(&self, text: &CStr) -> Option<jstring> {
        // SAFETY: the environment is live and the text ends with a zero byte.
        let string = unsafe { (self.table().NewStringUTF)(self.env.as_ptr(), text.as_ptr()) };
        self.clear();
        (!string.is_null()).then_some(string)
    }

    /// The module of a class.
    ///
    /// # Safety
    /// `class` is live.
    pub(crate) unsafe fn module(&self, class: jclass) -> Option<jobject> {
        // SAFETY: the caller vouches for the class.
        let module = unsafe { (self.table().GetModule)(self.env.as_ptr(), class) };
        self.clear();
        (!module.is_null()).then_some(module)
    }

    /// The superclass.
    ///
    /// # Safety
    /// `class` is live.
    pub(crate) unsafe fn superclass(&self, class: jclass) -> Option<jclass> {
        // SAFETY: the caller vouches for the class.
        let above = unsafe { (self.table().GetSuperclass)(self.env.as_ptr(), class) };
        (!above.is_null()).then_some(above)
    }

    /// The instance method that a call on an object of this class reaches.
    ///
    /// # Safety
    /// `class` is live and initialised.
    pub(crate) unsafe fn method(&self, class: jclass, name: &str, sig: &str) -> Option<jmethodID> {
        let (name, sig) = (CString::new(name).ok()?, CString::new(sig).ok()?);
        let get = self.table().GetMethodID;
        // SAFETY: the caller vouches for the class; both texts end with zero.
        let method = unsafe { get(self.env.as_ptr(), class, name.as_ptr(), sig.as_ptr()) };
        self.clear();
        (!method.is_null()).then_some(method)
    }

    /// The instance field of this name that an access through the class means.
    ///
    /// # Safety
    /// `class` is live and initialised.
    pub(crate) unsafe fn field(&self, class: jclass, name: &str, sig: &str) -> Option<jfieldID> {
        let (name, sig) = (CString::new(name).ok()?, CString::new(sig).ok()?);
        let get = self.table().GetFieldID;
        // SAFETY: the caller vouches for the class; both texts end with zero.
        let field = unsafe { get(self.env.as_ptr(), class, name.as_ptr(), sig.as_ptr()) };
        self.clear();
        (!field.is_null()).then_some(field)
    }

    /// The class of an object.
    ///
    /// # Safety
    /// `object` is live and not null.
    pub(crate) unsafe fn class_of(&self, object: jobject) -> jclass {
        // SAFETY: the caller vouches for the object.
        unsafe { (self.table().GetObjectClass)(self.env.as_ptr(), object) }
    }

    /// A reference that stays.
    ///
    /// # Safety
    /// `object` is live.
    pub(crate) unsafe fn global(&self, object: jobject) -> Global {
        // SAFETY: the caller vouches for the object.
        Global(unsafe { (self.table().NewGlobalRef)(self.env.as_ptr(), object) })
    }

    /// A copy of a byte array.
    ///
    /// # Safety
    /// `array` is live and not null.
    pub(crate) unsafe fn bytes(&self, array: jbyteArray) -> Vec<u8> {
        let table = self.table();
        let env = self.env.as_ptr();
        // SAFETY: the caller vouches for the array.
        let length = unsafe { (table.GetArrayLength)(env, array) };
        let mut bytes = vec![0_u8; usize::try_from(length).unwrap_or(0)];
        // SAFETY: `bytes` has room for the whole array.
        unsafe { (table.GetByteArrayRegion)(env, array, 0, length, bytes.as_mut_ptr().cast()) };
        bytes
    }

    /// A copy of a string.
    ///
    /// # Safety
    /// `text` is live and not null.
    pub(crate) unsafe fn text(&self, text: jstring) -> String {
        let table = self.table();
        let env = self.env.as_ptr();
        // SAFETY: the caller vouches for the string; the flag is not wanted.
        let chars = unsafe { (table.GetStringUTFChars)(env, text, std::ptr::null_mut()) };
        if chars.is_null() {
            self.clear();
            return String::new();
        }
        // SAFETY: the JVM returns a text that ends with a zero byte, which is
        // given back once.
        unsafe {
            let copy = CStr::from_ptr(chars).to_string_lossy().into_owned();
            (table.ReleaseStringUTFChars)(env, text, chars);
            copy
        }
    }

    /// Forgets a pending exception; true if there was one.
    fn clear(&self) -> bool {
        let table = self.table();
        // SAFETY: both may be called at any time, with an exception or not.
        unsafe {
            let pending = (table.ExceptionCheck)(self.env.as_ptr()) != 0;
            if pending {
                (table.ExceptionClear)(self.env.as_ptr());
            }
            pending
        }
    }
}

/// A long argument.
pub(crate) fn long(value: jlong) -> jvalue {
    jvalue { j: value }
}
