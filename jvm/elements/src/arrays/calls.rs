//! What calls do with arrays, and lambdas with what they capture.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{BootstrapMethods, Constant, Instruction, ReadError};

use super::jdk::{Does, does};
use super::step::of_descriptor;
use super::values::{Value, Walk, holds};
use super::{Key, RESULT, UNKNOWN, key};
use crate::class::{Signature, text};

impl<'c> Walk<'_, 'c> {
    pub(super) fn call(&mut self, instruction: &Instruction<'c>) -> Result<(), ReadError> {
        let member = self.file.pool.member(instruction.constant().unwrap_or(0))?;
        let Ok(descriptor) = MethodDescriptor::parse(member.descriptor) else {
            return Ok(());
        };
        let split = self.stack.len().saturating_sub(descriptor.parameters.len());
        let mut arguments = self.stack.split_off(split);
        let exact = instruction.opcode == opcode::INVOKESTATIC;
        let receiver = if exact { Value::default() } else { self.pop() };
        let result = descriptor.result;
        let returns = result.is_some_and(|ty| holds(&ty));
        let (class, name) = (text(member.class), text(member.name));
        let signature = (name, text(member.descriptor));
        if let Some(does) = does(&class, &signature.0, &signature.1) {
            if does == Does::MakesLike && class.starts_with('[') {
                arguments.insert(0, receiver);
            }
            let made = self.known(does, &arguments, instruction.offset, result);
            if result.is_some() {
                self.push(made.filter(|_| returns));
            }
            return Ok(());
        }
        self.joined(receiver, UNKNOWN);
        let is_handle = class.starts_with("java/lang/invoke/")
            || class == "java/io/ObjectInputStream"
            || class.ends_with("FieldUpdater")
            || class.ends_with("/Unsafe");
        self.arrays.by_handle |= is_handle;
        for (at, (value, ty)) in arguments
            .into_iter()
            .zip(&descriptor.parameters)
            .enumerate()
        {
            if holds(ty) {
                let parameter = self.arrays.value(key(&class, &signature, exact), at + 1);
                self.joined(value, parameter);
            } else {
                self.used(value);
            }
        }
        if result.is_some() {
            let named = key(&class, &signature, exact);
            let returned = returns.then(|| self.arrays.value(named, RESULT));
            self.push(returned);
        }
        self.arrays.calls.push((class, signature, exact));
        Ok(())
    }

    /// A call of the JDK of which it is known what it does; what it returns.
    fn known(
        &mut self,
        does: Does,
        arguments: &[Value],
        offset: u32,
        result: Option<FieldType<'_>>,
    ) -> Option<u32> {
        for argument in arguments {
            self.used(*argument);
        }
        let first = arguments.first().and_then(|value| value.class);
        let of = match result {
            Some(FieldType::Array(name)) => match name.0 {
                [b'[', b'[' | b'L', ..] => "Object",
                [_, rest @ ..] => of_descriptor(rest),
                [] => "Object",
            },
            _ => "Object",
        };
        match does {
            Does::Reads => None,
            Does::Returns => first,
            Does::Makes => Some(self.makes(offset, of)),
            Does::Writes(at) => {
                let written = arguments.get(at).and_then(|value| value.class);
                self.arrays.written.extend(written);
                None
            }
            Does::Fills => {
                self.arrays.written.extend(first);
                let last = arguments.last().and_then(|value| value.class);
                if let (Some(array), Some(value)) = (first, last) {
                    let elements = self.arrays.classes.elements(array);
                    self.arrays.classes.join(elements, value);
                }
                None
            }
            Does::Copies => {
                let into = arguments.get(2).and_then(|value| value.class);
                self.arrays.written.extend(into);
                if let (Some(from), Some(into)) = (first, into) {
                    let from = self.arrays.classes.elements(from);
                    let into = self.arrays.classes.elements(into);
                    self.arrays.classes.join(from, into);
                }
                None
            }
            Does::MakesLike => {
                // A copy of an array of any type is of the type of that array.
                let Some(first) = first else {
                    return Some(UNKNOWN);
                };
                if !matches!(result, Some(FieldType::Array(_))) {
                    return Some(first);
                }
                let made = self.makes(offset, of);
                let from = self.arrays.classes.elements(first);
                let into = self.arrays.classes.elements(made);
                self.arrays.classes.join(from, into);
                Some(made)
            }
        }
    }

    /// A lambda: what it captures goes to its method, by whatever thread that is called.
    pub(super) fn hand_out(&mut self, instruction: &Instruction<'c>) -> Result<(), ReadError> {
        let pool = &self.file.pool;
        let index = instruction.constant().unwrap_or(0);
        let (called, descriptor) = pool.dynamic(index)?;
        let Ok(descriptor) = MethodDescriptor::parse(descriptor) else {
            return Ok(());
        };
        let split = self.stack.len().saturating_sub(descriptor.parameters.len());
        let captured = self.stack.split_off(split);
        for value in &captured {
            self.used(*value);
            self.arrays.leave.extend(value.class);
        }
        let Some(lambda) = self.lambda(index)? else {
            for value in captured {
                self.joined(value, UNKNOWN);
            }
            if descriptor.result.is_some_and(|ty| holds(&ty)) {
                self.push(Some(UNKNOWN));
            } else if descriptor.result.is_some() {
                self.push(None);
            }
            return Ok(());
        };
        let exact = lambda.kind == INVOKES_STATIC || lambda.kind == INVOKES_NEW;
        let of = key(&lambda.class, &lambda.signature, exact);
        // What the method is bound to comes first, and is no array.
        let bound = usize::from(!exact);
        for (at, value) in captured.iter().enumerate() {
            let parameter = match at.checked_sub(bound) {
                Some(at) => self.arrays.value(of.clone(), at + 1),
                None => UNKNOWN,
            };
            self.joined(*value, parameter);
        }
        // The rest comes from whoever calls it, and what it returns goes there.
        let given = captured.len().saturating_sub(bound);
        self.arrays.open.push((of, given));
        let called = Key::Named((text(called), lambda.implements));
        self.arrays.open.push((called, 0));
        self.arrays
            .calls
            .push((lambda.class, lambda.signature, exact));
        if let Some(result) = descriptor.result {
            self.push(holds(&result).then_some(UNKNOWN));
        }
        Ok(())
    }

    /// The lambda of a dynamic call; none if it is something else.
    fn lambda(&self, index: u16) -> Result<Option<Lambda>, ReadError> {
        let pool = &self.file.pool;
        let Constant::InvokeDynamic { bootstrap, .. } = pool.get(index)? else {
            return Ok(None);
        };
        let Some(attribute) = self.file.find(&self.file.attributes, "BootstrapMethods") else {
            return Ok(None);
        };
        let bootstraps = BootstrapMethods::read(&attribute)?.0;
        let arguments = bootstraps.get(usize::from(bootstrap));
        let Some([called, handle, ..]) = arguments.map(|found| found.arguments.as_slice()) else {
            return Ok(None);
        };
        Ok(match (pool.get(*called)?, pool.get(*handle)?) {
            (Constant::MethodType { descriptor }, Constant::MethodHandle { kind, reference }) => {
                let member = pool.member(reference)?;
                Some(Lambda {
                    implements: text(pool.utf8(descriptor)?),
                    kind,
                    class: text(member.class),
                    signature: (text(member.name), text(member.descriptor)),
                })
            }
            _ => None,
        })
    }
}

/// A lambda, or a method that is handed out as one.
struct Lambda {
    /// The descriptor of the method that it implements.
    implements: String,
    /// How its own method is called, and which that is.
    kind: u8,
    class: String,
    signature: Signature,
}

const INVOKES_STATIC: u8 = 6;
const INVOKES_NEW: u8 = 8;
