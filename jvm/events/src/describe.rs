//! What a person reads of an event: one line.
//!
//! ```text
//! INCALL com.acme.Cart.add(inside com.acme.Cart#2, "tea", 3)
//! OUTCALL java.util.List.add(java.util.ArrayList#1, inside com.acme.Item#3) at Cart.java:17
//! OUTCALLRET true
//! ```
//! Objects are named by class and number, `#2`, with the thread before it when
//! another thread counted them, `#4.2`. The part of a hidden class's name that
//! differs from run to run is left out.

use crate::event::{Access, Event};
use crate::reader::Reader;
use crate::table::{Constant, Entry};
use crate::value::{Object, Reference, Space, Value};
use std::fmt::Write as _;

/// The opcodes that read fields.
const GETSTATIC: u8 = 178;
const GETFIELD: u8 = 180;

/// Text for an event of `thread` that `reader` has read.
#[must_use]
pub fn describe(event: &Event, thread: u64, reader: &Reader) -> String {
    let words = Words { thread, reader };
    match event {
        Event::InCall {
            method,
            receiver,
            arguments,
        } => {
            let what = words.method(*method);
            format!(
                "INCALL {what}({})",
                words.list(receiver.as_ref(), arguments)
            )
        }
        Event::InCallRet { value } => words.result("INCALLRET", value.as_ref()),
        Event::OutCall {
            site,
            receiver,
            arguments,
        } => format!(
            "OUTCALL {}({}){}",
            words.member(*site),
            words.list(receiver.as_ref(), arguments),
            words.place(*site)
        ),
        Event::OutCallRet { value } => words.result("OUTCALLRET", value.as_ref()),
        Event::OutRead(access) => words.access("OUTREAD", access),
        Event::OutWrite(access) => words.access("OUTWRITE", access),
        Event::InWrite(access) if words.is_found(access) => words.access("INREAD", access),
        Event::InWrite(access) => words.access("INWRITE", access),
        Event::ExcIn { throwable } => format!("EXCIN {}", words.reference(throwable)),
        Event::ExcOut { throwable } => format!("EXCOUT {}", words.reference(throwable)),
        Event::Touch { site } => format!("TOUCH {}{}", words.member(*site), words.place(*site)),
        Event::Touched => "TOUCHED".to_owned(),
        Event::Count { objects } => format!("COUNT {objects}"),
        Event::Adopt { object, fields } => {
            let tables = reader.tables();
            let fields: Vec<String> = fields
                .iter()
                .map(|field| {
                    let name = match tables.values.get(&field.name) {
                        Some(Constant::String(chars)) => String::from_utf16_lossy(chars),
                        _ => "?".to_owned(),
                    };
                    format!("{name} = {}", words.list(None, &[field.value]))
                })
                .collect();
            format!("ADOPT {}: {}", words.reference(object), fields.join(", "))
        }
        Event::Order { after: None } => "ORDER".to_owned(),
        Event::Order { after: Some(after) } => {
            format!("ORDER after {} by {}", after.count, after.thread)
        }
        Event::Begin { method } => format!("BEGIN {}", words.method(*method)),
        Event::Same { same } => format!("SAME {same}"),
        Event::Array {
            array,
            from,
            elements,
            ..
        } => {
            const SHOWN: usize = 32;
            let shown = elements.get(..SHOWN).unwrap_or(elements);
            let left = match elements.len().saturating_sub(SHOWN) {
                0 => String::new(),
                left => format!(", … ({left} more)"),
            };
            format!(
                "ARRAY {} from {from}: {}{left}",
                words.reference(array),
                words.list(None, shown)
            )
        }
    }
}

/// Text for an entry of the tables.
#[must_use]
pub fn describe_entry(entry: &Entry, reader: &Reader) -> String {
    let words = Words { thread: 0, reader };
    match entry {
        Entry::Loader { id, name } => format!("loader {id} is a {}", class_name(name)),
        Entry::Class { id, class } => {
            let inside = if class.inside { "inside " } else { "" };
            format!("class {id} is {inside}{}", class_name(&class.name))
        }
        Entry::Method { id, method } => {
            let class = words.class(method.class);
            format!(
                "method {id} is {class}.{}{}",
                method.name, method.descriptor
            )
        }
        Entry::Site { id, site } => {
            let dot = if site.name.is_empty() { "" } else { "." };
            let owner = class_name(&site.owner);
            format!(
                "site {id} uses {owner}{dot}{}{}",
                site.name,
                words.place(*id)
            )
        }
        Entry::Bytes { class, bytes } => {
            format!("{} bytes of class {}", bytes.len(), words.class(*class))
        }
        Entry::Shape { class, .. } => format!("the shape of class {}", words.class(*class)),
        Entry::Value { id, constant } => format!("value {id} is {}", words.constant(constant)),
        Entry::Exported(exported) => format!(
            "package {} of {} is exported to the program",
            exported.package, exported.module
        ),
        Entry::Skipped(skipped) => {
            let dot = if skipped.method.is_empty() { "" } else { "." };
            let class = class_name(&skipped.class);
            format!(
                "left as it was: {class}{dot}{}, {}",
                skipped.method, skipped.why
            )
        }
    }
}

struct Words<'r> {
    thread: u64,
    reader: &'r Reader,
}

impl Words<'_> {
    fn method(&self, id: u32) -> String {
        match self.reader.tables().methods.get(&id) {
            Some((entry, _)) => format!("{}.{}", self.class(entry.class), entry.name),
            None => format!("method {id}"),
        }
    }

    fn class(&self, id: u32) -> String {
        match self.reader.tables().classes.get(&id) {
            Some(class) => class_name(&class.name),
            None => format!("class {id}"),
        }
    }

    fn member(&self, site: u32) -> String {
        match self.reader.tables().sites.get(&site) {
            Some((site, _)) if site.name.is_empty() => class_name(&site.owner),
            Some((site, _)) => format!("{}.{}", class_name(&site.owner), site.name),
            None => format!("site {site}"),
        }
    }

    /// Where a site is; nothing when no line is known.
    fn place(&self, site: u32) -> String {
        let tables = self.reader.tables();
        let Some((site, _)) = tables.sites.get(&site) else {
            return String::new();
        };
        let method = tables.methods.get(&site.method);
        match method {
            Some((method, _)) if site.line != 0 => {
                let class = self.class(method.class);
                let class = class.rsplit('.').next().unwrap_or(&class);
                format!(" at {class}.{}:{}", method.name, site.line)
            }
            _ => String::new(),
        }
    }

    fn list(&self, receiver: Option<&Reference>, values: &[Value]) -> String {
        let receiver = receiver.map(|receiver| self.reference(receiver));
        let values = values.iter().map(|value| self.value(value));
        let all: Vec<String> = receiver.into_iter().chain(values).collect();
        all.join(", ")
    }

    fn result(&self, what: &str, value: Option<&Value>) -> String {
        match value {
            Some(value) => format!("{what} {}", self.value(value)),
            None => what.to_owned(),
        }
    }

    /// Whether the outside has only read an inside field: that is an event where
    /// it finds an object that was not mentioned before.
    fn is_found(&self, access: &Access) -> bool {
        let object = matches!(access.value, Value::Reference(Reference::Object(_)));
        let site = self.reader.tables().sites.get(&access.site);
        object && site.is_some_and(|(site, _)| matches!(site.opcode, GETSTATIC | GETFIELD))
    }

    fn access(&self, what: &str, access: &Access) -> String {
        let receiver = access.receiver.map(|receiver| self.reference(&receiver));
        format!(
            "{what} {}({}) = {}{}",
            self.member(access.site),
            receiver.unwrap_or_default(),
            self.value(&access.value),
            self.place(access.site)
        )
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Boolean(value) => value.to_string(),
            Value::Byte(value) => value.to_string(),
            Value::Char(value) => format!("'{}'", escape(&[*value])),
            Value::Short(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Long(value) => format!("{value}L"),
            Value::Float(bits) => format!("{:?}f", f32::from_bits(*bits)),
            Value::Double(bits) => format!("{:?}", f64::from_bits(*bits)),
            Value::Reference(reference) => self.reference(reference),
        }
    }

    fn reference(&self, reference: &Reference) -> String {
        match reference {
            Reference::Null => "null".to_owned(),
            Reference::Object(object) => self.object(object),
            Reference::Box(scalar) => format!("boxed {}", self.value(&scalar.value())),
            Reference::Value(id) => match self.reader.tables().values.get(id) {
                Some(constant) => self.constant(constant),
                None => format!("value {id}"),
            },
        }
    }

    fn constant(&self, constant: &Constant) -> String {
        match constant {
            Constant::String(chars) => format!("\"{}\"", escape(chars)),
            Constant::Class(class) => format!("{}.class", self.class(*class)),
            Constant::Enum { class, name } => format!("{}.{name}", self.class(*class)),
            Constant::Text { class, text } => format!("{} {text}", self.class(*class)),
        }
    }

    fn object(&self, object: &Object) -> String {
        let first = object.first.or_else(|| self.reader.object(object.id));
        let mut text = match object.space {
            Space::Inside => "inside ".to_owned(),
            _ => String::new(),
        };
        text += &first.map_or("?".to_owned(), |first| self.class(first.class));
        if let (Space::Array, Some(first)) = (object.space, first) {
            let open = text.find('[').map_or(text.len(), |at| at + 1);
            text.insert_str(open, &first.length.to_string());
        }
        // Writing to a string does not fail.
        let _ = match object.id.thread == self.thread {
            true => write!(text, "#{}", object.id.number),
            false => write!(text, "#{}.{}", object.id.thread, object.id.number),
        };
        text
    }
}

/// A class as it is written in source: `java.lang.String`, `int[][]`.
fn class_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let base = match element {
        _ if dimensions == 0 => element,
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => element
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(element),
    };
    let base = match base.find("$$Lambda") {
        Some(at) => base.get(..at + "$$Lambda".len()).unwrap_or(base),
        None => base,
    };
    base.replace('/', ".") + &"[]".repeat(dimensions)
}

/// Chars as a person can read them on one line.
fn escape(chars: &[u16]) -> String {
    const LONGEST: usize = 200;
    let shown = chars.get(..LONGEST).unwrap_or(chars);
    let mut text = String::new();
    for char in char::decode_utf16(shown.iter().copied()) {
        match char {
            Ok(char) => text.extend(char.escape_debug()),
            Err(lone) => {
                let _ = write!(text, "\\u{{{:x}}}", lone.unpaired_surrogate());
            }
        }
    }
    if chars.len() > LONGEST {
        let _ = write!(text, "… ({} chars)", chars.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(class_name("java/lang/String"), "java.lang.String");
        assert_eq!(class_name("[[I"), "int[][]");
        assert_eq!(class_name("[La/B;"), "a.B[]");
        assert_eq!(class_name("a/B$$Lambda$14/0x00001"), "a.B$$Lambda");
        assert_eq!(class_name("["), "[]");
    }

    #[test]
    fn text_stays_on_its_line() {
        let chars: Vec<u16> = "a\n\"\u{1b}é".encode_utf16().collect();
        assert_eq!(escape(&chars), "a\\n\\\"\\u{1b}é");
        assert_eq!(escape(&[0xd800]), "\\u{d800}");
    }
}
