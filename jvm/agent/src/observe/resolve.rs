//! Who declares what a site names.
//!
//! The boundary is the class that declares the member, not the receiver's
//! class and not the owner in the constant pool. The runtime asks once for
//! each site and class of receiver.

use jvmti_bindings::sys::jni::{jclass, jint, jobject};

use super::tables::Named;
use super::{Live, Session};
use crate::environment::EnvironmentError;
use crate::jni::Frame;

const GETSTATIC: u8 = 178;
const PUTSTATIC: u8 = 179;
const GETFIELD: u8 = 180;
const PUTFIELD: u8 = 181;
const INVOKESPECIAL: u8 = 183;
const INVOKESTATIC: u8 = 184;
const NATIVE: jint = 0x100;

impl Session {
    /// Whether a site leaves the inside when its receiver has this class.
    ///
    /// # Safety
    /// `class` is live, and there are objects of it.
    pub(super) unsafe fn leaves(
        &self,
        live: &Live,
        frame: Frame,
        class: jclass,
        site: u32,
    ) -> bool {
        let Some(named) = live.tables.site(site) else {
            return false;
        };
        if matches!(named.opcode, GETSTATIC | PUTSTATIC | INVOKESTATIC) {
            // SAFETY: the caller vouches for the class.
            return unsafe { self.leaves_static(live, frame, class, &named) };
        }
        // SAFETY: the caller vouches for the class.
        match unsafe { self.origin(frame, class, &named) } {
            Ok(Some((origin, native))) => native || !self.patterns.is_inside(&origin),
            // Signature-polymorphic methods are declared nowhere as called.
            _ => !self.patterns.is_inside(&named.owner),
        }
    }

    /// Whether a static member, looked up in a class, is declared outside or native.
    /// The class may not even be linked, so that the JVM cannot be asked.
    ///
    /// # Safety
    /// `class` is live.
    unsafe fn leaves_static(
        &self,
        live: &Live,
        frame: Frame,
        class: jclass,
        named: &Named,
    ) -> bool {
        // SAFETY: the caller vouches for the class.
        let loader = unsafe {
            let loader = self.environment.loader(class).unwrap_or_default();
            self.loader(live, frame, loader)
        };
        let is_field = named.opcode != INVOKESTATIC;
        let member = format!("{}{}", named.name, named.descriptor);
        match live
            .tables
            .declares(loader, &named.owner, is_field, &member)
        {
            Some(origin) => origin.native || !self.patterns.is_inside(&origin.class),
            // It is above everything that is known: in a class of the JDK.
            None => true,
        }
    }

    /// Whether a method that a reference names is declared outside or native. The owner
    /// need not be initialised, and must not be for this.
    ///
    /// # Safety
    /// `owner` is live.
    pub(super) unsafe fn refers_outside(
        &self,
        live: &Live,
        frame: Frame,
        owner: jclass,
        site: u32,
    ) -> bool {
        let Some(named) = live.tables.site(site) else {
            return false;
        };
        let environment = &self.environment;
        // Classes before interfaces, as resolution has it.
        let mut interfaces = Vec::new();
        let mut class = Some(owner);
        while let Some(here) = class {
            // SAFETY: the caller vouches for the owner, and the others are its
            // supertypes, held by references of this callback.
            unsafe {
                if let Some(native) = self.declares(here, &named) {
                    return native || self.is_outside(here);
                }
                interfaces.extend(environment.interfaces(here).unwrap_or_default());
                class = frame.superclass(here);
            }
        }
        while let Some(here) = interfaces.pop() {
            // SAFETY: as above.
            unsafe {
                if let Some(native) = self.declares(here, &named) {
                    return native || self.is_outside(here);
                }
                interfaces.extend(environment.interfaces(here).unwrap_or_default());
            }
        }
        false
    }

    /// # Safety
    /// `class` is live.
    unsafe fn is_outside(&self, class: jclass) -> bool {
        // SAFETY: the caller vouches for the class.
        let name = unsafe { self.environment.class_name(class) };
        name.is_ok_and(|name| !self.patterns.is_inside(&name))
    }

    /// Whether the method that a class itself declares under a name is native; none if
    /// it declares none.
    ///
    /// # Safety
    /// `class` is live.
    pub(super) unsafe fn declares(&self, class: jclass, named: &Named) -> Option<bool> {
        let environment = &self.environment;
        // SAFETY: the caller vouches for the class, whose methods live as long.
        unsafe {
            let methods = environment.methods(class).unwrap_or_default();
            let method = methods.into_iter().find(|method| {
                environment
                    .method_name(*method)
                    .is_ok_and(|(name, text)| name == named.name && text == named.descriptor)
            })?;
            let origin = environment.method_origin(method);
            Some(origin.is_ok_and(|(_, flags)| flags & NATIVE != 0))
        }
    }

    /// The name of the declaring class, and whether it is a native method.
    ///
    /// # Safety
    /// `class` is live, and there are objects of it.
    unsafe fn origin(
        &self,
        frame: Frame,
        class: jclass,
        named: &Named,
    ) -> Result<Option<(String, bool)>, EnvironmentError> {
        let environment = &self.environment;
        let (name, descriptor) = (&named.name, &named.descriptor);
        let is_field = matches!(named.opcode, GETFIELD | PUTFIELD);
        let mut start = class;
        if is_field || named.opcode == INVOKESPECIAL {
            // SAFETY: the caller vouches for the class.
            match unsafe { self.above(frame, class, &named.owner) }? {
                Some(found) => start = found,
                None => return Ok(None),
            }
        }
        // SAFETY: `start` is the class or one of its supertypes, so it is live
        // and initialised; what was found in it is asked about at once.
        unsafe {
            if is_field {
                let Some(field) = frame.field(start, name, descriptor) else {
                    return Ok(None);
                };
                let origin = environment.field_origin(start, field)?;
                return Ok(Some((environment.class_name(origin)?, false)));
            }
            let Some(method) = frame.method(start, name, descriptor) else {
                return Ok(None);
            };
            let (origin, flags) = environment.method_origin(method)?;
            Ok(Some((environment.class_name(origin)?, flags & NATIVE != 0)))
        }
    }

    /// The supertype of that name, or the class itself.
    ///
    /// # Safety
    /// `class` is live.
    unsafe fn above(
        &self,
        frame: Frame,
        class: jclass,
        name: &str,
    ) -> Result<Option<jclass>, EnvironmentError> {
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            // SAFETY: the caller vouches for the first class, and the others
            // are its supertypes, held by references of this callback.
            unsafe {
                if self.environment.class_name(class)? == name {
                    return Ok(Some(class));
                }
                open.extend(self.environment.interfaces(class)?);
                open.extend(frame.superclass(class));
            }
        }
        Ok(None)
    }

    /// The number of a loader, which is kept with it.
    ///
    /// # Safety
    /// `loader` is live, or null for the bootstrap loader.
    pub(super) unsafe fn loader(&self, live: &Live, frame: Frame, loader: jobject) -> u32 {
        if loader.is_null() {
            return 0;
        }
        // SAFETY: the caller vouches for the loader.
        unsafe {
            if let Ok(tag @ 1..) = self.environment.tag(loader) {
                return u32::try_from(tag).unwrap_or(u32::MAX);
            }
            let class = frame.class_of(loader);
            let name = self.environment.class_name(class).unwrap_or_default();
            let id = live.tables.loader(name);
            let _ = self.environment.set_tag(loader, id.into());
            id
        }
    }
}
