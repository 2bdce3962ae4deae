//! Methods of the program that the JDK calls, in the midst of what it does: there it gives up what it
//! has, and has it again when they return.

use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, access};

use super::Body;

/// Names of methods that the JDK calls.
const CALLED_BACK: &[&str] = &[
    "accept",
    "afterExecute",
    "apply",
    "beforeExecute",
    "call",
    "compute",
    "exec",
    "execute",
    "newThread",
    "onCompletion",
    "run",
    "uncaughtException",
];

/// Types of the JDK, or packages, whose methods it calls where a class of the program has them: in
/// the midst of what it does, and by names that say little.
const CALLED_BY: &[&str] = &[
    "java/net/URLStreamHandlerFactory",
    "java/util/Comparator",
    "java/util/Iterator",
    "java/util/Spliterator",
    "java/util/concurrent/",
    "java/util/function/",
    "java/util/stream/",
];

/// Beginnings of the names of classes of the JDK that call methods of the classes below them, in the
/// midst of what they do and as often as it takes.
const CALL_BELOW: &[&str] = &[
    "java/util/concurrent/AbstractExecutorService",
    "java/util/concurrent/CompletableFuture",
    "java/util/concurrent/CountedCompleter",
    "java/util/concurrent/ExecutorCompletionService",
    "java/util/concurrent/ForkJoin",
    "java/util/concurrent/FutureTask",
    "java/util/concurrent/Phaser",
    "java/util/concurrent/ScheduledThreadPoolExecutor",
    "java/util/concurrent/ThreadPoolExecutor",
    "java/util/concurrent/locks/AbstractQueued",
];

impl Body<'_, '_> {
    pub(super) fn is_called_back(&self, instructions: &[Instruction<'_>]) -> bool {
        let handed_out = || {
            let key = (self.name.clone(), self.descriptor.clone());
            self.handled.contains(&key)
        };
        !self.name.starts_with('<')
            && (CALLED_BACK.contains(&&*self.name)
                || handed_out() && !self.is_short(instructions)
                || self.is_implementation() && self.may_synchronise(instructions))
    }

    /// Whether the class says of itself that the JDK may call such a method.
    fn is_implementation(&self) -> bool {
        let hidden = access::STATIC | access::PRIVATE;
        let pool = &self.class.pool;
        let mut interfaces = self.class.interfaces.iter();
        self.method.access & hidden == 0
            && (self.is_below()
                || interfaces.any(|interface| {
                    pool.class_name(*interface)
                        .is_ok_and(|name| is_called_by(&name.to_str_lossy()))
                }))
    }

    /// Whether it is below one of the JDK that calls its methods, perhaps with others in between.
    fn is_below(&self) -> bool {
        let own = self.class.name();
        let above = own
            .ok()
            .and_then(|own| self.facts.above(&own.to_str_lossy()));
        above.is_some_and(|above| CALL_BELOW.iter().any(|start| above.starts_with(start)))
    }

    /// Whether a method may come to what is recorded; many only compare two numbers.
    pub(super) fn may_synchronise(&self, instructions: &[Instruction<'_>]) -> bool {
        instructions
            .iter()
            .any(|instruction| match instruction.opcode {
                opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC | opcode::MONITORENTER => true,
                opcode::GETSTATIC..=opcode::PUTFIELD => {
                    self.shared(instruction).is_ok_and(|field| field.is_some())
                }
                opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE => {
                    self.elements
                }
                _ => false,
            })
    }
}

/// Whether the JDK calls methods of an interface in the midst of what it does.
fn is_called_by(interface: &str) -> bool {
    CALLED_BY.iter().any(|known| match known.ends_with('/') {
        true => interface.starts_with(known),
        false => interface.split('$').next() == Some(known),
    })
}

#[cfg(test)]
mod tests {
    use super::is_called_by;

    #[test]
    fn what_the_jdk_calls_is_known_by_its_interface() {
        assert!(is_called_by("java/util/concurrent/Flow$Subscriber"));
        assert!(is_called_by("java/util/Spliterator$OfInt"));
        assert!(is_called_by("java/util/Comparator"));
        assert!(!is_called_by("java/util/Collection"));
        assert!(!is_called_by("java/util/IteratorLike"));
        assert!(!is_called_by("app/Comparator"));
    }
}
