//! Class files as text, for people and golden tests.
//!
//! The text depends on nothing but the class: constants are shown by value,
//! not by index, so that two classes that mean the same look the same. It
//! never fails: what cannot be read is shown as the error. Control characters
//! in names are escaped, and very long names cut.

use std::fmt::{Display, Write};

use crate::mutf8::Utf8;
use crate::opcode;
use crate::read::cursor::Cursor;
use crate::read::{
    Attribute, BootstrapMethods, ClassFile, Code, CodeAnnotations, CodeTarget, Constant, Frame,
    FrameKind, Instruction, LineNumberTable, LocalVariableTable, Member, Operands, Pool, ReadError,
    StackMapTable, VerificationType,
};

/// The whole class.
pub fn dump(class: &ClassFile<'_>) -> String {
    let mut out = Dump::new(class);
    out.class();
    out.text
}

/// One method.
pub fn dump_method(class: &ClassFile<'_>, method: &Member<'_>) -> String {
    let mut out = Dump::new(class);
    out.member("method", method);
    out.text
}

struct Dump<'d, 'a> {
    class: &'d ClassFile<'a>,
    pool: &'d Pool<'a>,
    text: String,
}

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($dump:expr, $($format:tt)*) => {{
        let _ = writeln!($dump.text, $($format)*);
    }};
}

impl<'d, 'a> Dump<'d, 'a> {
    fn new(class: &'d ClassFile<'a>) -> Self {
        Self {
            class,
            pool: &class.pool,
            text: String::new(),
        }
    }

    fn class(&mut self) {
        let class = self.class;
        let name = shown(class.name());
        line!(
            self,
            "class {name} version {}.{} flags {:#06x}",
            class.major,
            class.minor,
            class.access
        );
        match class.super_name() {
            Ok(None) => {}
            other => line!(
                self,
                "  extends {}",
                shown(other.map(Option::unwrap_or_default))
            ),
        }
        for interface in &class.interfaces {
            line!(
                self,
                "  implements {}",
                shown(self.pool.class_name(*interface))
            );
        }
        self.attributes(&class.attributes, "  ");
        for field in &class.fields {
            self.member("field", field);
        }
        for method in &class.methods {
            self.member("method", method);
        }
    }

    fn member(&mut self, kind: &str, member: &Member<'a>) {
        let name = shown(self.pool.utf8(member.name));
        let descriptor = shown(self.pool.utf8(member.descriptor));
        line!(
            self,
            "{kind} {name} {descriptor} flags {:#06x}",
            member.access
        );
        self.attributes(&member.attributes, "  ");
    }

    fn attributes(&mut self, attributes: &[Attribute<'a>], indent: &str) {
        for attribute in attributes {
            let name = shown(self.pool.utf8(attribute.name));
            if let Err(error) = self.attribute(&name, attribute, indent) {
                line!(self, "{indent}{name}: <{error}>");
            }
        }
    }

    fn attribute(
        &mut self,
        name: &str,
        attribute: &Attribute<'a>,
        indent: &str,
    ) -> Result<(), ReadError> {
        match name {
            "Code" => self.code(&Code::read(attribute)?),
            "SourceFile" | "Signature" | "NestHost" | "ConstantValue" => {
                let value = attribute.all(Cursor::u2)?;
                line!(self, "{indent}{name} {}", self.constant(value));
            }
            "NestMembers" | "PermittedSubclasses" | "Exceptions" => {
                let list = attribute.all(|cursor| cursor.list(Cursor::u2))?;
                let list: Vec<_> = list.iter().map(|index| self.constant(*index)).collect();
                line!(self, "{indent}{name} {}", list.join(" "));
            }
            "BootstrapMethods" => {
                for (number, method) in BootstrapMethods::read(attribute)?.0.iter().enumerate() {
                    let arguments = method.arguments.iter();
                    let arguments: Vec<_> = arguments.map(|index| self.constant(*index)).collect();
                    let handle = self.constant(method.handle);
                    line!(
                        self,
                        "{indent}bootstrap {number} {handle} {}",
                        arguments.join(" ")
                    );
                }
            }
            "StackMapTable" => {} // Shown with the instructions.
            "LineNumberTable" => {
                for row in LineNumberTable::read(attribute)?.0 {
                    line!(self, "{indent}line {} at {}", row.line, row.start);
                }
            }
            "LocalVariableTable" | "LocalVariableTypeTable" => {
                let kind = if name == "LocalVariableTable" {
                    "variable"
                } else {
                    "generic"
                };
                for row in LocalVariableTable::read(attribute)?.0 {
                    line!(
                        self,
                        "{indent}{kind} {} {} in {} at {}+{}",
                        shown(self.pool.utf8(row.name)),
                        shown(self.pool.utf8(row.descriptor)),
                        row.slot,
                        row.start,
                        row.length
                    );
                }
            }
            "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations"
                if indent.len() > 2 =>
            {
                for row in CodeAnnotations::read(attribute)?.0 {
                    line!(
                        self,
                        "{indent}annotation {:#04x} {}",
                        row.tag,
                        target(&row.target)
                    );
                }
            }
            _ => line!(self, "{indent}{name} ({} bytes)", attribute.content.len()),
        }
        Ok(())
    }

    fn code(&mut self, code: &Code<'a>) {
        line!(
            self,
            "  code stack {} locals {}",
            code.max_stack,
            code.max_locals
        );
        let frames = match self.class.find(&code.attributes, "StackMapTable") {
            None => Vec::new(),
            Some(attribute) => match StackMapTable::read(&attribute) {
                Ok(table) => table.0,
                Err(error) => {
                    line!(self, "    StackMapTable: <{error}>");
                    Vec::new()
                }
            },
        };
        let mut frames = frames.iter().peekable();
        for instruction in code.instructions() {
            let instruction = match instruction {
                Ok(instruction) => instruction,
                Err(error) => {
                    line!(self, "    <{error}>");
                    break;
                }
            };
            while let Some(frame) = frames.next_if(|frame| frame.offset <= instruction.offset) {
                self.frame(frame);
            }
            self.instruction(&instruction);
        }
        for frame in frames {
            self.frame(frame);
        }
        for row in &code.exceptions {
            let caught = match row.catch_type {
                0 => "anything".to_owned(),
                class => self.constant(class),
            };
            line!(
                self,
                "    catch {caught} in {}..{} at {}",
                row.start,
                row.end,
                row.handler
            );
        }
        self.attributes(&code.attributes, "    ");
    }

    fn instruction(&mut self, instruction: &Instruction<'a>) {
        let name = opcode::name(instruction.opcode).unwrap_or("?");
        let wide = if instruction.wide { "wide " } else { "" };
        let operands = match instruction.operands {
            Operands::None => String::new(),
            Operands::Value(value) => format!(" {value}"),
            Operands::Local(slot) => format!(" {slot}"),
            Operands::Increment(slot, amount) => format!(" {slot} {amount}"),
            Operands::Constant(index) => format!(" {}", self.constant(index)),
            Operands::InvokeInterface(index, count) => {
                format!(" {} {count}", self.constant(index))
            }
            Operands::ArrayType(ty) => format!(" {ty}"),
            Operands::Dimensions(index, count) => format!(" {} {count}", self.constant(index)),
            Operands::Target(target) => format!(" {target}"),
            Operands::TableSwitch(switch) => {
                let mut text = format!(" {}..={}:", switch.low, switch.high);
                for target in switch.targets() {
                    let _ = write!(text, " {target}");
                }
                let _ = write!(text, " else {}", switch.default);
                text
            }
            Operands::LookupSwitch(switch) => {
                let mut text = String::new();
                for (key, target) in switch.pairs() {
                    let _ = write!(text, " {key}:{target}");
                }
                let _ = write!(text, " else {}", switch.default);
                text
            }
        };
        line!(self, "    {:>5} {wide}{name}{operands}", instruction.offset);
    }

    fn frame(&mut self, frame: &Frame) {
        let list = |types: &[VerificationType]| {
            let names: Vec<_> = types.iter().map(|ty| self.verification(*ty)).collect();
            names.join(" ")
        };
        let text = match &frame.kind {
            FrameKind::Same { extended: false } => "same".to_owned(),
            FrameKind::Same { extended: true } => "same, extended".to_owned(),
            FrameKind::SameLocals { stack, extended } => {
                let form = if *extended { ", extended" } else { "" };
                format!("same{form} | {}", list(&[*stack]))
            }
            FrameKind::Chop(count) => format!("chop {count}"),
            FrameKind::Append(locals) => format!("append {}", list(locals)),
            FrameKind::Full { locals, stack } => {
                let space = if locals.is_empty() { "" } else { " " };
                format!("full {}{space}| {}", list(locals), list(stack))
            }
        };
        line!(self, "    {:>5} frame {}", frame.offset, text.trim_end());
    }

    fn verification(&self, ty: VerificationType) -> String {
        match ty {
            VerificationType::Top => "top".into(),
            VerificationType::Integer => "int".into(),
            VerificationType::Float => "float".into(),
            VerificationType::Double => "double".into(),
            VerificationType::Long => "long".into(),
            VerificationType::Null => "null".into(),
            VerificationType::UninitializedThis => "uninitialized-this".into(),
            VerificationType::Object(class) => shown(self.pool.class_name(class)),
            VerificationType::Uninitialized(offset) => format!("uninitialized@{offset}"),
        }
    }

    /// A constant by value. Constants nest at most five deep when they are
    /// well formed, and are cut off when they are not.
    fn constant(&self, index: u16) -> String {
        self.constant_within(index, 6)
    }

    fn constant_within(&self, index: u16, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return "<nested too deeply>".into();
        };
        let inner = |index| self.constant_within(index, depth);
        match self.pool.get(index) {
            Err(error) => format!("<{error}>"),
            Ok(Constant::Utf8(text)) => shown::<Utf8<'_>>(Ok(text)),
            Ok(Constant::Integer(value)) => value.to_string(),
            Ok(Constant::Float(bits)) => format!("{:?}f", f32::from_bits(bits)),
            Ok(Constant::Long(value)) => format!("{value}L"),
            Ok(Constant::Double(bits)) => format!("{:?}d", f64::from_bits(bits)),
            Ok(Constant::Class { name }) => inner(name),
            Ok(Constant::String { text }) => format!("\"{}\"", inner(text)),
            Ok(
                Constant::FieldRef {
                    class,
                    name_and_type,
                }
                | Constant::MethodRef {
                    class,
                    name_and_type,
                },
            ) => format!("{}.{}", inner(class), inner(name_and_type)),
            Ok(Constant::InterfaceMethodRef {
                class,
                name_and_type,
            }) => {
                format!("{}::{}", inner(class), inner(name_and_type))
            }
            Ok(Constant::NameAndType { name, descriptor }) => {
                format!("{} {}", inner(name), inner(descriptor))
            }
            Ok(Constant::MethodHandle { kind, reference }) => {
                format!("handle[{kind} {}]", inner(reference))
            }
            Ok(Constant::MethodType { descriptor }) => format!("type[{}]", inner(descriptor)),
            Ok(
                Constant::Dynamic {
                    bootstrap,
                    name_and_type,
                }
                | Constant::InvokeDynamic {
                    bootstrap,
                    name_and_type,
                },
            ) => format!("dynamic[{bootstrap} {}]", inner(name_and_type)),
            Ok(Constant::Module { name } | Constant::Package { name }) => inner(name),
        }
    }
}

fn target(target: &CodeTarget) -> String {
    match target {
        CodeTarget::Locals(ranges) => {
            let rows = ranges
                .iter()
                .map(|row| format!("{} at {}+{}", row.slot, row.start, row.length));
            rows.collect::<Vec<_>>().join(", ")
        }
        CodeTarget::Catch(index) => format!("catch {index}"),
        CodeTarget::Instruction(offset) => format!("at {offset}"),
        CodeTarget::Argument(offset, argument) => format!("at {offset} argument {argument}"),
    }
}

/// Longer text is cut: a hostile class could repeat 64 KB of it at each
/// instruction.
const LONGEST: usize = 400;

/// Text with control characters escaped, or the error.
fn shown<T: Display>(value: Result<T, ReadError>) -> String {
    let text = match value {
        Ok(text) => text.to_string(),
        Err(error) => return format!("<{error}>"),
    };
    let mut out = String::with_capacity(text.len().min(LONGEST));
    for (number, c) in text.chars().enumerate() {
        if number == LONGEST {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
