//! Which calls of the JDK synchronise.

use crate::sites::Deed;

/// Classes whose calls never block: what they do is one step.
const STEPS: &[&str] = &[
    "java/lang/StringBuffer",
    "java/util/Hashtable",
    "java/util/Properties",
    "java/util/Stack",
    "java/util/Vector",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/ConcurrentLinkedDeque",
    "java/util/concurrent/ConcurrentLinkedQueue",
    "java/util/concurrent/ConcurrentMap",
    "java/util/concurrent/ConcurrentSkipListMap",
    "java/util/concurrent/ConcurrentSkipListSet",
    "java/util/concurrent/CopyOnWriteArrayList",
    "java/util/concurrent/CopyOnWriteArraySet",
];

/// Calls that a thread may have to wait for: of these classes and interfaces, which may be
/// used by either name, as one element.
const LOCKS: &[&str] = &[
    "java/util/concurrent/locks/Condition",
    "java/util/concurrent/locks/Lock",
    "java/util/concurrent/locks/ReentrantLock",
    "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock",
    "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock",
];

/// The element of a call's objects, by the class that the call names, and what it does.
pub(crate) fn call(class: &str, name: &str) -> Option<(String, Deed)> {
    if name == "<init>" {
        return None;
    }
    let atomic = class.strip_prefix("java/util/concurrent/atomic/");
    // What computes a value calls the program back.
    let calls_back = |name: &str| {
        let words = [
            "compute",
            "merge",
            "forEach",
            "replaceAll",
            "removeIf",
            "update",
            "accumulate",
        ];
        words.iter().any(|word| name.starts_with(word))
            || name.ends_with("AndUpdate")
            || name.ends_with("AndAccumulate")
    };
    if atomic.is_some() || STEPS.contains(&class) {
        return (!calls_back(name)).then(|| (class.to_owned(), Deed::Access));
    }
    let waits = matches!(
        name,
        "lock" | "lockInterruptibly" | "tryLock" | "await" | "awaitNanos" | "awaitUntil"
    );
    if LOCKS.contains(&class) && waits {
        return Some(("java/util/concurrent/locks/Lock".to_owned(), Deed::Acquire));
    }
    let semaphore = class == "java/util/concurrent/Semaphore";
    let acquires = matches!(name, "acquire" | "acquireUninterruptibly" | "tryAcquire");
    (semaphore && acquires).then(|| (class.to_owned(), Deed::Acquire))
}
