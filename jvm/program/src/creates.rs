//! How many threads a program can create, at most, where that can be known: each `new` of a
//! thread that is outside of loops, in a method that is executed so many times at most.
//!
//! Methods that are called statically are executed as often as the bytecodes that call them, by
//! name and descriptor, whatever their class; `main` and class initialisers once. A method that
//! can be overridden may be called by the JDK, and one whose handle is taken by anybody: of
//! these nothing is known, and neither is of a program that uses something by which the JDK may
//! create threads or call methods by their names.

use std::collections::{HashMap, HashSet};

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Code, Constant, ReadError, access};

use crate::hierarchy::Hierarchy;

const THREAD: &str = "java/lang/Thread";

/// A method as it is called: its class for a constructor, its name and its descriptor.
type Key = (String, String, String);

/// Packages and classes of the JDK that create no thread and call nothing by its name. A package
/// stands without those below it.
const TAME: &[&str] = &[
    "java/io/",
    "java/lang/",
    "java/math/",
    "java/text/",
    "java/time/",
    "java/util/",
    "java/util/concurrent/atomic/",
    "java/util/concurrent/locks/",
    "java/util/function/",
    "java/util/concurrent/ArrayBlockingQueue",
    "java/util/concurrent/BlockingQueue",
    "java/util/concurrent/BrokenBarrierException",
    "java/util/concurrent/CountDownLatch",
    "java/util/concurrent/CyclicBarrier",
    "java/util/concurrent/LinkedBlockingQueue",
    "java/util/concurrent/Semaphore",
    "java/util/concurrent/TimeUnit",
    "java/util/concurrent/TimeoutException",
    // What `javac` makes of lambdas and of texts.
    "java/lang/invoke/LambdaMetafactory",
    "java/lang/invoke/StringConcatFactory",
    "java/lang/invoke/MethodHandles",
    "java/lang/invoke/MethodHandles$Lookup",
];

/// Those among them that do.
const WILD: &[&str] = &[
    "java/io/Object",
    "java/lang/ClassLoader",
    "java/lang/ClassValue",
    "java/lang/Module",
    "java/lang/Process",
    "java/lang/Runtime",
    "java/lang/ScopedValue",
    "java/lang/StackWalker",
    "java/lang/System$",
    "java/lang/Thread$Builder",
    "java/util/ResourceBundle",
    "java/util/ServiceLoader",
    "java/util/Timer",
];

/// Methods that do.
fn is_wild(class: &str, name: &str) -> bool {
    name.starts_with("parallel")
        || matches!(name, "startVirtualThread" | "ofVirtual" | "ofPlatform")
        || class == "java/lang/Class" && name == "newInstance"
        || class.starts_with("java/lang/invoke/MethodHandle")
}

fn is_tame(class: &str) -> bool {
    !WILD.iter().any(|wild| class.starts_with(wild))
        && TAME.iter().any(|tame| match tame.ends_with('/') {
            true => class
                .strip_prefix(tame)
                .is_some_and(|rest| !rest.contains('/')),
            false => class == *tame,
        })
}

/// What is known so far.
#[derive(Default)]
pub(crate) struct Creates {
    /// Nothing can be known.
    unknown: bool,
    methods: HashMap<Key, Method>,
    /// By callee: who calls it, and whether in a loop.
    calls: HashMap<Key, Vec<(Key, bool)>>,
    /// What is instantiated, by whom, and whether in a loop.
    made: Vec<(String, Key, bool)>,
    /// Methods whose handles are taken.
    handles: HashSet<Key>,
}

/// How a method comes to be executed.
#[derive(Clone, Copy, Default)]
struct Method {
    /// Nobody but who names it calls it.
    is_named: bool,
    /// The JVM calls it once.
    is_root: bool,
}

impl Creates {
    /// A class that cannot be read may do anything.
    pub(crate) fn give_up(&mut self) {
        self.unknown = true;
    }

    pub(crate) fn add(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        for index in class.pool.indexes() {
            match class.pool.get(index)? {
                Constant::MethodHandle { reference, .. } => {
                    let member = class.pool.member(reference)?;
                    // A class that is made by a handle may be a thread.
                    self.unknown |= member.name == "<init>";
                    self.handles.insert(key(
                        &member.class.to_string(),
                        &member.name.to_string(),
                        &member.descriptor.to_string(),
                    ));
                }
                Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. } => {
                    let member = class.pool.member(index)?;
                    self.unknown |= is_wild(&member.class.to_string(), &member.name.to_string());
                }
                _ => {}
            }
        }
        let name = class.name()?.to_string();
        for member in &class.methods {
            let own = class.pool.utf8(member.name)?.to_string();
            let own = key(
                &name,
                &own,
                &class.pool.utf8(member.descriptor)?.to_string(),
            );
            self.unknown |= member.access & access::NATIVE != 0;
            // Of two methods that are called alike, the one of which less is known counts.
            let is_named =
                member.access & (access::STATIC | access::PRIVATE) != 0 || own.1 == "<init>";
            let is_root = matches!(own.1.as_str(), "main" | "<clinit>");
            let known = self
                .methods
                .entry(own.clone())
                .or_insert(Method { is_named, is_root });
            known.is_named &= is_named;
            if let Some(code) = class.code(member)? {
                self.body(class, &code, &own)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, class: &ClassFile<'_>, code: &Code<'_>, own: &Key) -> Result<(), ReadError> {
        let back = backwards(code)?;
        for instruction in code.instructions() {
            let instruction = instruction?;
            let offset = i64::from(instruction.offset);
            let repeats = back
                .iter()
                .any(|(to, from)| *to <= offset && offset <= *from);
            let Some(constant) = instruction.constant() else {
                // A subroutine comes back to wherever it was called from.
                self.unknown |= instruction.opcode == opcode::RET;
                continue;
            };
            match instruction.opcode {
                opcode::NEW => {
                    let made = class.pool.class_name(constant)?.to_string();
                    self.made.push((made, own.clone(), repeats));
                }
                opcode::INVOKEVIRTUAL
                | opcode::INVOKESPECIAL
                | opcode::INVOKESTATIC
                | opcode::INVOKEINTERFACE => {
                    let member = class.pool.member(constant)?;
                    let callee = key(
                        &member.class.to_string(),
                        &member.name.to_string(),
                        &member.descriptor.to_string(),
                    );
                    let callers = self.calls.entry(callee).or_default();
                    callers.push((own.clone(), repeats));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// How many there can be beside the main thread; none if that is not known.
    pub(crate) fn most<'m>(
        &self,
        hierarchy: &Hierarchy,
        mut mentioned: impl Iterator<Item = &'m String>,
    ) -> Option<u32> {
        if self.unknown || mentioned.any(|class| !hierarchy.has(class) && !is_tame(class)) {
            return None;
        }
        let mut counted = HashMap::new();
        let mut most: u32 = 0;
        for (made, by, repeats) in &self.made {
            if hierarchy.is_below(made, THREAD)? {
                let times = self.times(by, &mut counted, 0)?;
                most = most.checked_add(match (times, repeats) {
                    (0, _) => 0,
                    (times, false) => times,
                    (_, true) => return None,
                })?;
            }
        }
        Some(most)
    }

    /// How often a method is executed at most.
    fn times(
        &self,
        method: &Key,
        counted: &mut HashMap<Key, Option<u32>>,
        depth: u32,
    ) -> Option<u32> {
        if let Some(known) = counted.get(method) {
            return *known;
        }
        // Who calls itself is executed without a limit, as far as is known.
        counted.insert(method.clone(), None);
        let known = self.methods.get(method)?;
        if !known.is_named || self.handles.contains(method) || depth > DEEP {
            return None;
        }
        let mut times = u32::from(known.is_root);
        for (caller, repeats) in self.calls.get(method).into_iter().flatten() {
            times = match (self.times(caller, counted, depth + 1)?, repeats) {
                (0, _) => times,
                (more, false) => times.checked_add(more)?,
                (_, true) => return None,
            };
        }
        counted.insert(method.clone(), Some(times));
        Some(times)
    }
}

/// Calls that are nested deeper are not gone through.
const DEEP: u32 = 200;

/// A constructor is that of its class; others may be inherited, so their class does not count.
fn key(class: &str, name: &str, descriptor: &str) -> Key {
    let class = match name {
        "<init>" | "<clinit>" => class,
        _ => "",
    };
    (class.to_owned(), name.to_owned(), descriptor.to_owned())
}

/// Where code may go back: to where, and from where. Whatever is in a circle is in between.
fn backwards(code: &Code<'_>) -> Result<Vec<(i64, i64)>, ReadError> {
    let mut back = Vec::new();
    for instruction in code.instructions() {
        let instruction = instruction?;
        let from = i64::from(instruction.offset);
        instruction.each_target(|to| {
            if to <= from {
                back.push((to, from));
            }
        });
    }
    for row in &code.exceptions {
        if row.handler < row.end {
            back.push((i64::from(row.handler), i64::from(row.end)));
        }
    }
    Ok(back)
}
