//! The static methods that are added to a class, and what they call: the
//! static methods of `reprise.player.Stub`.
//!
//! ```text
//! static R reprise$7(Owner receiver, A a, B b, int site) {
//!     if (Stub.leaves(receiver, site))
//!         return (R) Stub.call(new Object[] {receiver, a, b}, site);
//!     return receiver.m(a, b);
//! }
//! ```

use std::collections::HashMap;

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, access};
use reprise_classfile::write::{
    ClassEditor, Invoke, PoolEditor, Snippet, write_choice, write_code,
};

use crate::ProbeError;
use crate::dynamic::descriptor_of;

/// The class that the added methods call.
pub const STUB: &str = "reprise/player/Stub";

/// The methods that one class gets.
pub(super) struct Stubs<'c> {
    class: &'c ClassFile<'c>,
    this: String,
    is_interface: bool,
    /// By what they do.
    known: HashMap<String, (String, String)>,
    /// Name, descriptor, code.
    made: Vec<(String, String, Vec<u8>)>,
}

/// A method that is being written: its parameters, of which the last is the
/// site, and its result.
pub(super) struct Shape<'t> {
    pub(super) parameters: Vec<FieldType<'t>>,
    pub(super) result: Option<FieldType<'t>>,
}

impl<'t> Shape<'t> {
    /// The slot of each parameter, and behind them that of the site.
    fn slots(&self) -> (Vec<u16>, u16) {
        let mut next = 0;
        let mut slots = Vec::with_capacity(self.parameters.len());
        for ty in &self.parameters {
            slots.push(next);
            next += ty.slots();
        }
        (slots, next)
    }

    /// With the site as its last parameter.
    fn descriptor(&self) -> String {
        let mut text = String::from("(");
        for ty in &self.parameters {
            text += &descriptor_of(*ty);
        }
        text += "I)";
        text += &self.result.map_or_else(|| "V".to_owned(), descriptor_of);
        text
    }

    /// Loads all parameters but the site.
    pub(super) fn load(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        for (ty, slot) in self.parameters.iter().zip(self.slots().0) {
            code.load(*ty, slot)?;
        }
        Ok(())
    }

    /// Loads the site.
    pub(super) fn load_site(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        code.load(FieldType::Int, self.slots().1)?;
        Ok(())
    }

    /// Hands everything to the player and returns what it says.
    /// The site is the last parameter, unless its number is given.
    pub(super) fn hand_over(
        &self,
        function: &str,
        number: Option<u32>,
        pool: &mut PoolEditor<'_>,
    ) -> Result<Snippet, ProbeError> {
        let mut code = Snippet::new();
        let (slots, site) = self.slots();
        let count = i32::try_from(slots.len()).unwrap_or(i32::MAX);
        code.push_int(count, pool)?;
        code.with_class(opcode::ANEWARRAY, "java/lang/Object", pool)?;
        for (index, (ty, slot)) in (0_i32..).zip(self.parameters.iter().zip(slots)) {
            code.op(opcode::DUP)?;
            code.push_int(index, pool)?;
            code.load(*ty, slot)?;
            if let Some((class, scalar, _)) = boxed(*ty) {
                let descriptor = format!("({scalar})L{class};");
                code.invoke(Invoke::Static, class, "valueOf", &descriptor, pool)?;
            }
            code.op(opcode::AASTORE)?;
        }
        match number {
            None => code.load(FieldType::Int, site)?,
            Some(number) => code.push_int(number.cast_signed(), pool)?,
        };
        let descriptor = "([Ljava/lang/Object;I)Ljava/lang/Object;";
        code.invoke(Invoke::Static, STUB, function, descriptor, pool)?;
        match self.result {
            None => drop(code.op(opcode::POP)?),
            Some(ty) => match boxed(ty) {
                Some((class, scalar, method)) => {
                    code.with_class(opcode::CHECKCAST, class, pool)?;
                    let descriptor = format!("(){scalar}");
                    code.invoke(Invoke::Virtual, class, method, &descriptor, pool)?;
                }
                None => cast(&mut code, ty, pool)?,
            },
        }
        self.leave(&mut code)?;
        Ok(code)
    }

    /// Returns the result, which is on the stack.
    pub(super) fn leave(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        code.op(match self.result {
            None => opcode::RETURN,
            Some(FieldType::Long) => opcode::LRETURN,
            Some(FieldType::Float) => opcode::FRETURN,
            Some(FieldType::Double) => opcode::DRETURN,
            Some(FieldType::Object(_) | FieldType::Array(_)) => opcode::ARETURN,
            Some(_) => opcode::IRETURN,
        })?;
        Ok(())
    }
}

/// The class of a scalar's box, the scalar's descriptor, and the method that
/// unpacks it.
fn boxed(ty: FieldType<'_>) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match ty {
        FieldType::Boolean => ("java/lang/Boolean", "Z", "booleanValue"),
        FieldType::Byte => ("java/lang/Byte", "B", "byteValue"),
        FieldType::Char => ("java/lang/Character", "C", "charValue"),
        FieldType::Short => ("java/lang/Short", "S", "shortValue"),
        FieldType::Int => ("java/lang/Integer", "I", "intValue"),
        FieldType::Long => ("java/lang/Long", "J", "longValue"),
        FieldType::Float => ("java/lang/Float", "F", "floatValue"),
        FieldType::Double => ("java/lang/Double", "D", "doubleValue"),
        FieldType::Object(_) | FieldType::Array(_) => return None,
    })
}

/// Casts what is on the stack.
fn cast(
    code: &mut Snippet,
    ty: FieldType<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    if let FieldType::Object(name) | FieldType::Array(name) = ty
        && name != "java/lang/Object"
    {
        code.with_class(opcode::CHECKCAST, &name.to_str_lossy(), pool)?;
    }
    Ok(())
}

/// The type of a class or array that the constant pool names.
pub(super) fn named(class: Utf8<'_>) -> FieldType<'_> {
    match class.0 {
        [b'[', ..] => FieldType::Array(class),
        _ => FieldType::Object(class),
    }
}

/// What decides whether something leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The class that is named.
    Owner,
    Receiver,
    /// The receiver, which may be a function that the first argument decides about.
    ReceiverAndFirst,
}

impl<'c> Stubs<'c> {
    pub(super) fn new(class: &'c ClassFile<'c>) -> Result<Self, ProbeError> {
        Ok(Self {
            class,
            this: class.name()?.to_str_lossy().into_owned(),
            is_interface: class.access & access::INTERFACE != 0,
            known: HashMap::new(),
            made: Vec::new(),
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.made.len()
    }

    /// Takes away those that were made since there were `count`.
    pub(super) fn roll_back(&mut self, count: usize) {
        let gone = self.made.split_off(count.min(self.made.len()));
        self.known
            .retain(|_, (name, _)| !gone.iter().any(|(other, _, _)| other == name));
    }

    /// Calls the method for `key`, which is made when there is none yet. The
    /// arguments are on the stack.
    pub(super) fn call(
        &mut self,
        key: String,
        shape: &Shape<'_>,
        site: u32,
        pool: &mut PoolEditor<'c>,
        write: impl FnOnce(&Self, &mut PoolEditor<'c>) -> Result<Vec<u8>, ProbeError>,
    ) -> Result<Snippet, ProbeError> {
        let mut code = Snippet::new();
        code.push_int(site.cast_signed(), pool)?;
        let (name, descriptor) = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                if self.is_interface && self.class.major < super::METHODS_IN_INTERFACES {
                    return Err(ProbeError::OldInterface);
                }
                let name = format!("reprise${}", self.made.len());
                let body = write(self, pool)?;
                let made = (name, shape.descriptor());
                self.made.push((made.0.clone(), made.1.clone(), body));
                self.known.insert(key, made.clone());
                made
            }
        };
        let kind = if self.is_interface {
            Invoke::InterfaceStatic
        } else {
            Invoke::Static
        };
        code.invoke(kind, &self.this, &name, &descriptor, pool)?;
        Ok(code)
    }

    /// The code of a method that hands over whatever it is called with.
    pub(super) fn always(
        shape: &Shape<'_>,
        function: &str,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<u8>, ProbeError> {
        let code = shape.hand_over(function, None, pool)?;
        Ok(write_code(shape.slots().1 + 1, &code)?)
    }

    /// The code of a method that hands over what leaves, and does the rest.
    pub(super) fn choice(
        &self,
        shape: &Shape<'_>,
        function: &str,
        mut stay: Snippet,
        by: By,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<u8>, ProbeError> {
        let mut test = Snippet::new();
        let object = FieldType::Object(Utf8(b"java/lang/Object"));
        let descriptor = match by {
            By::Owner => "(I)Z",
            By::Receiver => {
                test.load(object, 0)?;
                "(Ljava/lang/Object;I)Z"
            }
            By::ReceiverAndFirst => {
                test.load(object, 0)?;
                test.load(object, 1)?;
                "(Ljava/lang/Object;Ljava/lang/Object;I)Z"
            }
        };
        shape.load_site(&mut test)?;
        test.invoke(Invoke::Static, STUB, "leaves", descriptor, pool)?;
        let leave = shape.hand_over(function, None, pool)?;
        shape.leave(&mut stay)?;
        let locals = shape.slots().1 + 1;
        Ok(write_choice(
            self.class,
            locals,
            [&test, &leave, &stay],
            pool,
        )?)
    }

    /// The code of a method without branches.
    pub(super) fn straight(shape: &Shape<'_>, code: &Snippet) -> Result<Vec<u8>, ProbeError> {
        Ok(write_code(shape.slots().1 + 1, code)?)
    }

    /// A method that has no site.
    pub(super) fn factory(
        &mut self,
        descriptor: &str,
        locals: u16,
        code: &Snippet,
    ) -> Result<String, ProbeError> {
        let name = format!("reprise${}", self.made.len());
        let code = write_code(locals, code)?;
        self.made.push((name.clone(), descriptor.to_owned(), code));
        Ok(name)
    }

    pub(super) fn this(&self) -> &str {
        &self.this
    }

    pub(super) fn is_interface(&self) -> bool {
        self.is_interface
    }

    /// Adds all of them to the class.
    pub(super) fn add_to(self, edited: &mut ClassEditor<'c>) -> Result<(), ProbeError> {
        let flags = access::PRIVATE | access::STATIC | access::SYNTHETIC;
        for (name, descriptor, code) in self.made {
            edited.add_method(flags, &name, &descriptor, Some(code))?;
        }
        Ok(())
    }
}
