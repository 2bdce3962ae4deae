//! A small assembler, for classes that javac does not write.
//!
//! ```text
//! class A 52                          name and version; the super is Object
//! super B
//! method static m (I)V stack 2 locals 1
//!     iload_0
//!     ifeq end                        labels
//!     new B                           classes, fields, methods, constants
//!     invokestatic A.m (I)V
//!     ldc "text"
//!     repeat 40000 nop
//!     tableswitch 0 a b else c        lookupswitch 5:a 9:b else c
//! end:
//!     frame append int A              same | chop 1 | full int A | B
//!     return
//!     catch any start end handler
//!     line 7 start                    variable x I 1 start end
//! ```

use std::collections::HashMap;

use reprise_classfile::opcode as op;
use reprise_classfile::read::{
    ClassFile, Constant, Frame, FrameKind, LineNumber, LineNumberTable, LocalVariable,
    LocalVariableTable, StackMapTable, VerificationType,
};
use reprise_classfile::write::{ClassEditor, PoolEditor, empty_class};

/// The class file of `source`.
pub(crate) fn assemble(source: &str) -> Vec<u8> {
    let mut lines = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .peekable();
    let head: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    let ["class", name, version] = head[..] else {
        panic!("{head:?}");
    };
    let parent = lines
        .next_if(|line| line.starts_with("super "))
        .map_or("java/lang/Object", |line| &line[6..]);
    let bytes = empty_class(version.parse().unwrap(), 0x21, name, parent).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut editor = ClassEditor::new(&class);
    while let Some(line) = lines.next() {
        let words: Vec<_> = line.split_whitespace().collect();
        let (access, words) = match words[..] {
            ["method", "static", ref rest @ ..] => (0x0009, rest),
            ["method", ref rest @ ..] => (0x0001, rest),
            _ => panic!("{line}"),
        };
        let [name, ty, "stack", stack, "locals", locals] = words[..] else {
            panic!("{line}");
        };
        let mut body = Body::default();
        while let Some(line) = lines.next_if(|line| !line.starts_with("method ")) {
            body.line(line, &mut editor.pool);
        }
        let limits = (stack.parse().unwrap(), locals.parse().unwrap());
        let code = body.finish(limits, &mut editor.pool);
        editor.add_method(access, name, ty, Some(code)).unwrap();
    }
    editor.finish().unwrap()
}

#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    labels: HashMap<String, usize>,
    /// Where a distance goes, how wide it is, from which instruction.
    fixes: Vec<(usize, usize, usize, String)>,
    frames: Vec<(usize, Vec<String>)>,
    catches: Vec<[String; 4]>,
    lines: Vec<(u16, String)>,
    variables: Vec<[String; 5]>,
}

impl Body {
    fn line(&mut self, line: &str, pool: &mut PoolEditor<'_>) {
        if let Some(label) = line.strip_suffix(':') {
            self.labels.insert(label.into(), self.bytes.len());
            return;
        }
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let texts: Vec<_> = words.iter().map(String::as_str).collect();
        match texts[..] {
            ["frame", ..] => self.frames.push((self.bytes.len(), words[1..].to_vec())),
            ["catch", ..] => self.catches.push(words[1..].to_vec().try_into().unwrap()),
            ["line", number, at] => self.lines.push((number.parse().unwrap(), at.into())),
            ["variable", ..] => self.variables.push(words[1..].to_vec().try_into().unwrap()),
            ["repeat", count, ..] => {
                for _ in 0..count.parse::<usize>().unwrap() {
                    self.line(&texts[2..].join(" "), pool);
                }
            }
            [name, ..] => self.instruction(op::by_name(name).unwrap(), &texts[1..], line, pool),
            [] => {}
        }
    }

    fn instruction(&mut self, code: u8, words: &[&str], line: &str, pool: &mut PoolEditor<'_>) {
        let at = self.bytes.len();
        self.bytes.push(code);
        let number = |text: &str| text.parse::<i32>().unwrap();
        match (code, words) {
            (op::TABLESWITCH | op::LOOKUPSWITCH, _) => self.switch(at, code, words),
            (op::IFEQ..=op::JSR | op::IFNULL | op::IFNONNULL, [label]) => {
                self.fix(at, 2, label);
            }
            (op::GOTO_W | op::JSR_W, [label]) => self.fix(at, 4, label),
            (op::WIDE, [name, operands @ ..]) => {
                self.bytes.push(op::by_name(name).unwrap());
                for operand in operands {
                    self.bytes.extend(&number(operand).to_be_bytes()[2..]);
                }
            }
            (op::SIPUSH, [value]) => self.bytes.extend(&number(value).to_be_bytes()[2..]),
            (op::LDC, _) => {
                let text = line.split_once(' ').unwrap().1;
                let index = match text.strip_prefix('"') {
                    Some(text) => pool.string(text.trim_end_matches('"')).unwrap(),
                    None => pool.add(Constant::Integer(number(text))).unwrap(),
                };
                self.bytes.push(u8::try_from(index).unwrap());
            }
            (op::NEW | op::ANEWARRAY | op::CHECKCAST | op::INSTANCEOF, [class]) => {
                self.bytes.extend(pool.class(class).unwrap().to_be_bytes());
            }
            (op::GETSTATIC..=op::INVOKEINTERFACE, [member, ty, ..]) => {
                let (class, name) = member.rsplit_once('.').unwrap();
                let index = match code {
                    op::GETSTATIC..=op::PUTFIELD => pool.field(class, name, ty),
                    op::INVOKEINTERFACE => pool.interface_method(class, name, ty),
                    _ => pool.method(class, name, ty),
                };
                self.bytes.extend(index.unwrap().to_be_bytes());
            }
            // What is left has one-byte operands.
            (_, operands) => {
                for operand in operands {
                    self.bytes.push(number(operand).to_be_bytes()[3]);
                }
            }
        }
    }

    fn fix(&mut self, from: usize, width: usize, label: &str) {
        self.fixes
            .push((self.bytes.len(), width, from, label.into()));
        self.bytes.resize(self.bytes.len() + width, 0);
    }

    fn switch(&mut self, at: usize, code: u8, words: &[&str]) {
        self.bytes.resize(self.bytes.len() + 3 - at % 4, 0);
        let [cases @ .., "else", default] = words else {
            panic!("{words:?}");
        };
        self.fix(at, 4, default);
        if code == op::TABLESWITCH {
            let low: i32 = cases[0].parse().unwrap();
            let high = low + i32::try_from(cases.len()).unwrap() - 2;
            self.bytes.extend(low.to_be_bytes());
            self.bytes.extend(high.to_be_bytes());
            for label in &cases[1..] {
                self.fix(at, 4, label);
            }
        } else {
            self.bytes
                .extend(u32::try_from(cases.len()).unwrap().to_be_bytes());
            for case in cases {
                let (key, label) = case.split_once(':').unwrap();
                self.bytes.extend(key.parse::<i32>().unwrap().to_be_bytes());
                self.fix(at, 4, label);
            }
        }
    }

    fn at(&self, label: &str) -> u16 {
        u16::try_from(
            *self
                .labels
                .get(label)
                .unwrap_or_else(|| panic!("label {label}")),
        )
        .unwrap()
    }

    fn finish(mut self, (stack, locals): (u16, u16), pool: &mut PoolEditor<'_>) -> Vec<u8> {
        self.labels.insert("END".into(), self.bytes.len());
        for (at, width, from, label) in std::mem::take(&mut self.fixes) {
            let distance = i32::from(self.at(&label)) - i32::try_from(from).unwrap();
            if width == 2 {
                assert!(i16::try_from(distance).is_ok(), "{label} is too far");
            }
            let bytes = &distance.to_be_bytes()[4 - width..];
            self.bytes[at..at + width].copy_from_slice(bytes);
        }
        let mut attributes = Vec::new();
        let frames = self.frames.iter().map(|(at, words)| Frame {
            offset: u32::try_from(*at).unwrap(),
            kind: self.frame(words, pool),
        });
        let frames = StackMapTable(frames.collect());
        if !frames.0.is_empty() {
            attributes.push(("StackMapTable", frames.write().unwrap()));
        }
        if !self.lines.is_empty() {
            let rows = self.lines.iter().map(|(line, label)| LineNumber {
                start: self.at(label),
                line: *line,
            });
            let table = LineNumberTable(rows.collect());
            attributes.push(("LineNumberTable", table.write().unwrap()));
        }
        if !self.variables.is_empty() {
            let rows = self
                .variables
                .iter()
                .map(|[name, ty, slot, start, end]| LocalVariable {
                    start: self.at(start),
                    length: self.at(end) - self.at(start),
                    name: pool.utf8(name).unwrap(),
                    descriptor: pool.utf8(ty).unwrap(),
                    slot: slot.parse().unwrap(),
                });
            let table = LocalVariableTable(rows.collect());
            attributes.push(("LocalVariableTable", table.write().unwrap()));
        }
        let mut out = Vec::new();
        out.extend(stack.to_be_bytes());
        out.extend(locals.to_be_bytes());
        out.extend(u32::try_from(self.bytes.len()).unwrap().to_be_bytes());
        out.extend(&self.bytes);
        out.extend(u16::try_from(self.catches.len()).unwrap().to_be_bytes());
        for [class, start, end, handler] in &self.catches {
            for label in [start, end, handler] {
                out.extend(self.at(label).to_be_bytes());
            }
            let class = match class.as_str() {
                "any" => 0,
                class => pool.class(class).unwrap(),
            };
            out.extend(class.to_be_bytes());
        }
        out.extend(u16::try_from(attributes.len()).unwrap().to_be_bytes());
        for (name, content) in attributes {
            out.extend(pool.utf8(name).unwrap().to_be_bytes());
            out.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
            out.extend(content);
        }
        out
    }

    fn frame(&self, words: &[String], pool: &mut PoolEditor<'_>) -> FrameKind {
        let mut types = |words: &[String]| -> Vec<VerificationType> {
            words
                .iter()
                .map(|word| self.verification(word, pool))
                .collect()
        };
        let bar = words.iter().position(|word| word == "|");
        match (words[0].as_str(), bar) {
            ("same", None) => FrameKind::Same { extended: false },
            ("same", Some(bar)) => FrameKind::SameLocals {
                stack: types(&words[bar + 1..])[0],
                extended: false,
            },
            ("chop", _) => FrameKind::Chop(words[1].parse().unwrap()),
            ("append", _) => FrameKind::Append(types(&words[1..])),
            ("full", Some(bar)) => FrameKind::Full {
                locals: types(&words[1..bar]),
                stack: types(&words[bar + 1..]),
            },
            _ => panic!("{words:?}"),
        }
    }

    fn verification(&self, word: &str, pool: &mut PoolEditor<'_>) -> VerificationType {
        match word {
            "top" => VerificationType::Top,
            "int" => VerificationType::Integer,
            "float" => VerificationType::Float,
            "long" => VerificationType::Long,
            "double" => VerificationType::Double,
            "null" => VerificationType::Null,
            "uninitialized-this" => VerificationType::UninitializedThis,
            _ => match word.strip_prefix("uninitialized@") {
                Some(label) => VerificationType::Uninitialized(self.at(label)),
                None => VerificationType::Object(pool.class(word).unwrap()),
            },
        }
    }
}
