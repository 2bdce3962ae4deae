//! The events of one thread.
//!
//! ```text
//! first byte: what (high half) and a type (low half, where one is named)
//!
//! 1 INCALL      method, receiver unless static or constructor, arguments
//! 2 INCALLRET   of type T: value. A constructor's is the object itself
//! 3 OUTCALL     site, receiver unless static or constructor, arguments
//! 4 OUTCALLRET  of type T: value. A constructor's is the object itself
//! 5 OUTREAD     site, receiver unless static, value
//! 6 OUTWRITE    site, receiver unless static, value
//! 7 INWRITE     site, receiver unless static, value
//! 8 EXCIN       throwable
//! 9 EXCOUT      throwable
//! 10 TOUCH      site: outside code runs although nothing was called, because
//!               a class is being initialised; ends with the OUTREAD, OUTWRITE
//!               or TOUCHED of the site, or with an EXCIN. A site that names
//!               `<clinit>` stands for the initialiser of an outside class
//!               above the inside one that is being initialised
//! 11 TOUCHED
//! 12 ARRAY      elements of type T: array, first index, elements. What an
//!               array holds that the outside has made or changed
//! 13 COUNT      varint: so many objects got the next numbers although no event
//!               mentions them: it was not kept, or they are elements of an
//!               array that went out or captured by a lambda
//! 14 ADOPT      an inside object that came in and that no constructor made
//!               (it was deserialised, say): object, then for each field of an
//!               inside class: class, name (a value's number), type (a byte),
//!               value
//! 15 ORDER 0    a monitor was entered, or a volatile field is used, where another
//!               thread was before: what this thread does from here on comes
//!               after what others did up to the stamp of this event
//!          3    since version 2, with what a replay has to wait for. Each thread
//!               counts the monitors that it enters and the volatile fields that
//!               it uses: how many more they are since the last ORDER of this
//!               thread (the one that has to wait comes next), the other thread,
//!               and how many it has had by then
//!    BEGIN 4    since version 3: method. The initialiser of a class begins: no
//!               other thread does that in a replay, which would be the first
//!    SAME 1, 2  two values that are equal were compared by identity: they were
//!               different objects, or the same
//! ```
//! Methods and sites are varints; the rest are [values](crate::value), typed
//! by the method's or site's descriptor. INCALL, OUTCALLRET, OUTREAD, INWRITE,
//! EXCIN, TOUCH, TOUCHED, ARRAY, COUNT, ADOPT, ORDER, BEGIN and SAME are incoming; the others
//! are the oracle.

use crate::bytes::{FormatError, Input, put_varint};
use crate::table::{Signature, Tables};
use crate::value::{Count, Reference, Type, Value};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub enum Event {
    InCall {
        method: u32,
        receiver: Option<Reference>,
        arguments: Vec<Value>,
    },
    InCallRet {
        value: Option<Value>,
    },
    OutCall {
        site: u32,
        receiver: Option<Reference>,
        arguments: Vec<Value>,
    },
    OutCallRet {
        value: Option<Value>,
    },
    OutRead(Access),
    OutWrite(Access),
    InWrite(Access),
    ExcIn {
        throwable: Reference,
    },
    ExcOut {
        throwable: Reference,
    },
    Touch {
        site: u32,
    },
    Touched,
    Array {
        array: Reference,
        ty: Type,
        from: u32,
        elements: Vec<Value>,
    },
    Count {
        objects: u64,
    },
    Adopt {
        object: Reference,
        fields: Vec<Field>,
    },
    Order {
        after: Option<After>,
    },
    Begin {
        method: u32,
    },
    Same {
        same: bool,
    },
}

/// What a thread waits for at a monitor or a volatile field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct After {
    /// How many of its own it has had since the last time it waited.
    pub since: u64,
    /// For whom.
    pub thread: u32,
    /// How many that one has had by then.
    pub count: u64,
}

/// A field of an object that is adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The class that declares it.
    pub class: u32,
    /// Its name, by the number of the value.
    pub name: u32,
    /// What it holds.
    pub value: Value,
}

/// A field that was read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Where, and which field.
    pub site: u32,
    /// Whose; none for a static field.
    pub receiver: Option<Reference>,
    /// What was read or written.
    pub value: Value,
}

impl Event {
    /// Reads an event of a thread that has counted its objects up to `count`.
    pub fn read(bytes: &[u8], tables: &Tables, count: &mut Count) -> Result<Self, FormatError> {
        let mut input = Input::new(bytes);
        let first = input.u8()?;
        let unknown = FormatError::Unknown {
            what: "an event",
            code: first.into(),
        };
        let ty = Type::of_code(first & 15)?;
        let typed = matches!(first >> 4, 2 | 4 | 12 | 15);
        if !typed && ty != Type::Void {
            return Err(unknown);
        }
        let input = &mut input;
        let event = match first >> 4 {
            1 => {
                let method = input.u32("a method")?;
                let (receiver, arguments) = call(&tables.method(method)?.1, input, count)?;
                Self::InCall {
                    method,
                    receiver,
                    arguments,
                }
            }
            2 => Self::InCallRet {
                value: Value::read(ty, input, count)?,
            },
            3 => {
                let site = input.u32("a site")?;
                let (receiver, arguments) = call(&tables.site(site)?.1, input, count)?;
                Self::OutCall {
                    site,
                    receiver,
                    arguments,
                }
            }
            4 => Self::OutCallRet {
                value: Value::read(ty, input, count)?,
            },
            5 => Self::OutRead(Access::read(tables, input, count)?),
            6 => Self::OutWrite(Access::read(tables, input, count)?),
            7 => Self::InWrite(Access::read(tables, input, count)?),
            8 => Self::ExcIn {
                throwable: Reference::read(input, count)?,
            },
            9 => Self::ExcOut {
                throwable: Reference::read(input, count)?,
            },
            10 => Self::Touch {
                site: input.u32("a site")?,
            },
            11 => Self::Touched,
            12 => {
                let array = Reference::read(input, count)?;
                let from = input.u32("an index")?;
                let mut elements = Vec::new();
                while ty != Type::Void && input.remaining() > 0 {
                    elements.extend(Value::read(ty, input, count)?);
                }
                Self::Array {
                    array,
                    ty,
                    from,
                    elements,
                }
            }
            13 => {
                let objects = input.varint()?;
                count.last = count.last.saturating_add(objects);
                Self::Count { objects }
            }
            14 => {
                let object = Reference::read(input, count)?;
                let mut fields = Vec::new();
                while input.remaining() > 0 {
                    let class = input.u32("a class")?;
                    let name = input.u32("a name")?;
                    let code = input.u8()?;
                    let value = Value::read(Type::of_code(code)?, input, count)?;
                    let (what, code) = ("the type of a field", code.into());
                    let value = value.ok_or(FormatError::Unknown { what, code })?;
                    fields.push(Field { class, name, value });
                }
                Self::Adopt { object, fields }
            }
            15 => match first & 15 {
                0 => Self::Order { after: None },
                3 => {
                    let since = input.varint()?;
                    let thread = input.u32("a thread")?;
                    let count = input.varint()?;
                    let after = Some(After {
                        since,
                        thread,
                        count,
                    });
                    Self::Order { after }
                }
                4 => Self::Begin {
                    method: input.u32("a method")?,
                },
                1 => Self::Same { same: false },
                2 => Self::Same { same: true },
                _ => return Err(unknown),
            },
            _ => return Err(unknown),
        };
        input.clone().finish()?;
        Ok(event)
    }

    /// Its bytes.
    pub fn write(&self, out: &mut Vec<u8>, count: &mut Count) {
        let ty = |value: &Option<Value>| value.map_or(Type::Void, |value| value.ty()) as u8;
        match self {
            Self::InCall {
                method: id,
                receiver,
                arguments,
            }
            | Self::OutCall {
                site: id,
                receiver,
                arguments,
            } => {
                out.push(match self {
                    Self::InCall { .. } => 1 << 4,
                    _ => 3 << 4,
                });
                put_varint(out, (*id).into());
                if let Some(receiver) = receiver {
                    receiver.write(out, count);
                }
                for argument in arguments {
                    argument.write(out, count);
                }
            }
            Self::InCallRet { value } | Self::OutCallRet { value } => {
                let tag = match self {
                    Self::InCallRet { .. } => 2 << 4,
                    _ => 4 << 4,
                };
                out.push(tag | ty(value));
                if let Some(value) = value {
                    value.write(out, count);
                }
            }
            Self::OutRead(access) => access.write(5 << 4, out, count),
            Self::OutWrite(access) => access.write(6 << 4, out, count),
            Self::InWrite(access) => access.write(7 << 4, out, count),
            Self::ExcIn { throwable } => {
                out.push(8 << 4);
                throwable.write(out, count);
            }
            Self::ExcOut { throwable } => {
                out.push(9 << 4);
                throwable.write(out, count);
            }
            Self::Touch { site } => {
                out.push(10 << 4);
                put_varint(out, (*site).into());
            }
            Self::Touched => out.push(11 << 4),
            Self::Array {
                array,
                ty,
                from,
                elements,
            } => {
                out.push(12 << 4 | *ty as u8);
                array.write(out, count);
                put_varint(out, (*from).into());
                for element in elements {
                    element.write(out, count);
                }
            }
            Self::Count { objects } => {
                out.push(13 << 4);
                put_varint(out, *objects);
                count.last = count.last.saturating_add(*objects);
            }
            Self::Adopt { object, fields } => {
                out.push(14 << 4);
                object.write(out, count);
                for field in fields {
                    put_varint(out, field.class.into());
                    put_varint(out, field.name.into());
                    out.push(field.value.ty() as u8);
                    field.value.write(out, count);
                }
            }
            Self::Order { after: None } => out.push(15 << 4),
            Self::Order { after: Some(after) } => {
                out.push(15 << 4 | 3);
                put_varint(out, after.since);
                put_varint(out, after.thread.into());
                put_varint(out, after.count);
            }
            Self::Begin { method } => {
                out.push(15 << 4 | 4);
                put_varint(out, (*method).into());
            }
            Self::Same { same } => out.push(15 << 4 | 1 << u8::from(*same)),
        }
    }
}

impl Access {
    fn read(
        tables: &Tables,
        input: &mut Input<'_>,
        count: &mut Count,
    ) -> Result<Self, FormatError> {
        let site = input.u32("a site")?;
        let (entry, signature) = tables.site(site)?;
        let receiver = receiver(signature, input, count)?;
        let value = Value::read(signature.result, input, count)?;
        let value = value.ok_or_else(|| FormatError::Descriptor {
            text: entry.descriptor.clone(),
        })?;
        Ok(Self {
            site,
            receiver,
            value,
        })
    }

    fn write(&self, tag: u8, out: &mut Vec<u8>, count: &mut Count) {
        out.push(tag);
        put_varint(out, self.site.into());
        if let Some(receiver) = &self.receiver {
            receiver.write(out, count);
        }
        self.value.write(out, count);
    }
}

fn receiver(
    signature: &Signature,
    input: &mut Input<'_>,
    count: &mut Count,
) -> Result<Option<Reference>, FormatError> {
    match signature.receiver {
        true => Reference::read(input, count).map(Some),
        false => Ok(None),
    }
}

fn call(
    signature: &Signature,
    input: &mut Input<'_>,
    count: &mut Count,
) -> Result<(Option<Reference>, Vec<Value>), FormatError> {
    let receiver = receiver(signature, input, count)?;
    let mut arguments = Vec::with_capacity(signature.parameters.len());
    for ty in &signature.parameters {
        arguments.extend(Value::read(*ty, input, count)?);
    }
    Ok((receiver, arguments))
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
