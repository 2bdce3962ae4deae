//! What an outside class looks like, for the stand-in that a replay has for it.
//!
//! Classes of the JDK need none: a replay has them. A class that no file was
//! loaded for (the hidden class of a lambda, a proxy) is asked about instead.

use jvmti_bindings::sys::jni::jclass;
use reprise_jvm_events::table::Shape;

use super::Session;
use crate::environment::EnvironmentError;
use crate::jni::Frame;

/// `final`, `super` and `synthetic`.
const GENERATED: u16 = 0x1030;

/// Whether the JVM or the JDK made the class while the program ran.
pub(super) fn is_generated(name: &str) -> bool {
    // A hidden class has a dot and an address behind its name.
    name.contains('.') || name.contains("$Proxy")
}

impl Session {
    /// What can be asked about a class.
    ///
    /// # Safety
    /// `class` is live.
    pub(super) unsafe fn shape(
        &self,
        frame: Frame,
        class: jclass,
    ) -> Result<Shape, EnvironmentError> {
        let environment = &self.environment;
        // SAFETY: the caller vouches for the class, and the others are its
        // supertypes, held by references of this callback.
        unsafe {
            let superclass = match frame.superclass(class) {
                Some(superclass) => environment.class_name(superclass)?,
                None => String::new(),
            };
            let mut interfaces = Vec::new();
            for interface in environment.interfaces(class)? {
                interfaces.push(environment.class_name(interface)?);
            }
            Ok(Shape {
                access: GENERATED,
                superclass,
                interfaces,
                ..Shape::default()
            })
        }
    }
}
