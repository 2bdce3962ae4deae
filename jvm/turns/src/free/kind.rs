//! Which calls synchronise, and by what.

use reprise_classfile::read::MemberRef;

use super::Body;
use crate::facts::{is_unsafe, matters};

/// Classes of the JDK whose objects synchronise, or packages where a slash ends the name.
const SYNCHRONISED: &[&str] = &[
    "java/io/PrintStream",
    "java/io/PrintWriter",
    "java/lang/StringBuffer",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/invoke/VarHandle",
    "java/lang/ref/ReferenceQueue",
    "java/util/Hashtable",
    "java/util/Properties",
    "java/util/Stack",
    "java/util/Vector",
    "java/util/concurrent/",
];

/// Types whose objects may be of such a class.
const PERHAPS: &[&str] = &[
    "java/util/Collection",
    "java/util/Deque",
    "java/util/List",
    "java/util/Map",
    "java/util/Queue",
    "java/util/Set",
];

/// Methods of the JDK's collections that go through another one, which is their first argument.
const GO_THROUGH: &[&str] = &[
    "<init>",
    "addAll",
    "copyOf",
    "putAll",
    "removeAll",
    "retainAll",
];

/// What of these is a value, or belongs to one thread.
const ALONE: &[&str] = &[
    "java/lang/ThreadLocal",
    "java/util/concurrent/ThreadLocalRandom",
    "java/util/concurrent/TimeUnit",
];

/// Classes of pools and of what they compute.
const POOLS: &[&str] = &[
    "java/util/concurrent/AbstractExecutorService",
    "java/util/concurrent/Complet",
    "java/util/concurrent/CountedCompleter",
    "java/util/concurrent/Exec",
    "java/util/concurrent/Flow",
    "java/util/concurrent/ForkJoin",
    "java/util/concurrent/Future",
    "java/util/concurrent/Recursive",
    "java/util/concurrent/RunnableFuture",
    "java/util/concurrent/Scheduled",
    "java/util/concurrent/StructuredTask",
    "java/util/concurrent/SubmissionPublisher",
    "java/util/concurrent/ThreadPool",
    "java/util/Timer",
];

/// Streams, which pools go through if they are parallel.
const STREAMS: &[&str] = &[
    "java/util/stream/BaseStream",
    "java/util/stream/DoubleStream",
    "java/util/stream/IntStream",
    "java/util/stream/LongStream",
    "java/util/stream/Stream",
];

/// Their methods that only say what will be done when somebody wants a result.
const LAZY: &[&str] = &[
    "asDoubleStream",
    "asLongStream",
    "boxed",
    "distinct",
    "dropWhile",
    "filter",
    "flatMap",
    "flatMapToDouble",
    "flatMapToInt",
    "flatMapToLong",
    "gather",
    "isParallel",
    "limit",
    "map",
    "mapMulti",
    "mapMultiToDouble",
    "mapMultiToInt",
    "mapMultiToLong",
    "mapToDouble",
    "mapToInt",
    "mapToLong",
    "mapToObj",
    "onClose",
    "parallel",
    "peek",
    "sequential",
    "skip",
    "sorted",
    "takeWhile",
    "unordered",
];

/// Methods of the JDK that look into a table that it has for all threads, and call the program where
/// nothing is in it yet: who knows how a protocol is spoken.
const TABLES: &[(&str, &str)] = &[
    ("java/net/URI", "toURL"),
    ("java/net/URL", "<init>"),
    ("java/net/URL", "of"),
];

/// Packages of the JDK whose types programs implement, and synchronise in: a driver of a database is called
/// by the names of these.
const IMPLEMENTED: &[&str] = &["java/rmi/", "java/security/", "java/sql/"];

/// Packages whose classes read from and write to the outside.
const WIRES: &[&str] = &["java/io/", "java/net/", "java/nio/channels/"];

/// The beginnings of the names of methods that do it.
const WIRED: &[&str] = &[
    "accept",
    "close",
    "connect",
    "finishConnect",
    "flush",
    "getContent",
    "getHeader",
    "getInputStream",
    "getOutputStream",
    "getResponse",
    "open",
    "read",
    "receive",
    "select",
    "send",
    "transfer",
    "wakeup",
    "write",
];

/// How a call is recorded.
pub(super) enum Kind {
    None,
    /// Only that the thread comes there.
    Place,
    /// As what blocks or wakes and has no receiver.
    Marks,
    /// As what has to do with the calling thread.
    Asks,
    Pools,
    /// The same, if its receiver is the JDK's: a thread of a pool begins so where the program
    /// makes the threads.
    Runs,
    /// As what has to do with pools, if its receiver is a parallel stream.
    Streams,
    /// As what looks into a table of the JDK's.
    Tables,
    /// As what waits for the end of its receiver, a thread.
    Joins,
    /// By its receiver, if that is of a class that synchronises.
    Perhaps,
    /// By its first argument, a collection, if that is of such a class.
    PerhapsArgument,
    /// By its receiver.
    Receiver,
    /// By its first argument, whose field it uses.
    Argument,
}

/// Whether it is such a method of the JDK's pools and tasks as a class of the program may
/// inherit. The name alone says nothing: programs have a `fork` or `submit` of their own.
fn is_inherited(name: &str, descriptor: &str, is_static: bool) -> bool {
    let concurrent = descriptor.contains("Ljava/util/concurrent/");
    match name {
        "invokeAll" => concurrent || descriptor.starts_with("(Ljava/util/Collection;"),
        _ if is_static => false,
        "fork" | "submit" => concurrent,
        "join" | "invoke" => concurrent || descriptor == "()Ljava/lang/Object;",
        _ => false,
    }
}

/// Whether a method of the JDK that is no pool's has one compute it.
fn is_bulk(owner: &str, name: &str, descriptor: &str) -> bool {
    match owner {
        "java/util/Arrays" => name.starts_with("parallel"),
        // With how many elements it is worth while.
        "java/util/concurrent/ConcurrentHashMap" => descriptor.starts_with("(J"),
        _ => false,
    }
}

impl Body<'_, '_> {
    pub(super) fn kind(&self, member: &MemberRef<'_>, is_static: bool) -> Kind {
        let name = member.name.to_str_lossy();
        let descriptor = member.descriptor.to_str_lossy();
        let named = member.class.to_str_lossy();
        let inherited = self.facts.inherited(&named, &name, &descriptor);
        let inherited = inherited.filter(|owner| matters(owner));
        let owner = inherited.map_or(named.clone(), Into::into);
        let starts = |list: &[&str]| list.iter().any(|prefix| owner.starts_with(prefix));
        let is = |list: &[&str]| {
            list.iter().any(|known| match known.ends_with('/') {
                true => owner.starts_with(known),
                false => owner == *known,
            })
        };
        let unsafely = is_unsafe(member);
        let by_field = owner == "java/lang/invoke/VarHandle" || owner.ends_with("FieldUpdater");
        let object = descriptor.starts_with("(L") || descriptor.starts_with("([");
        if (unsafely || by_field) && object && !is_static {
            return Kind::Argument;
        }
        let goes_through = owner.starts_with("java/util/")
            && GO_THROUGH.contains(&&*name)
            && ["(Ljava/util/Collection;", "(Ljava/util/Map;"]
                .iter()
                .any(|first| descriptor.starts_with(first));
        if goes_through && !is(SYNCHRONISED) && self.facts.has_collections() {
            return Kind::PerhapsArgument;
        }
        if TABLES.contains(&(&*owner, &*name)) {
            return Kind::Tables;
        }
        let of_thread = owner == "java/lang/Thread" || (self.is_thread)(&owner);
        match &*name {
            "<init>" | "currentThread" | "notify" | "notifyAll" | "onSpinWait" | "yield" => {
                return Kind::None;
            }
            "wait" if descriptor.ends_with(")V") && !is_static => return Kind::Marks,
            "interrupted" if is_static && of_thread => return Kind::Asks,
            "sleep" if is_static && of_thread => return Kind::Marks,
            "join" if of_thread => return Kind::Joins,
            "start" | "interrupt" | "isInterrupted" | "isAlive" if of_thread => {
                return Kind::Receiver;
            }
            _ if of_thread => return Kind::None,
            _ => {}
        }
        match () {
            () if starts(ALONE) => match name == "sleep" {
                true => Kind::Marks,
                false => Kind::None,
            },
            () if matches!(
                (&*owner, &*name),
                ("java/lang/Runnable", "run") | ("java/util/concurrent/Callable", "call")
            ) =>
            {
                Kind::Runs
            }
            () if self.hands_on(&owner, &name, &descriptor) => Kind::Place,
            () if starts(POOLS) || is_bulk(&owner, &name, &descriptor) => Kind::Pools,
            () if is(STREAMS) => match is_static || LAZY.contains(&&*name) {
                true => Kind::None,
                false => Kind::Streams,
            },
            () if is(SYNCHRONISED) && is_static => Kind::Marks,
            () if is(SYNCHRONISED) => Kind::Receiver,
            () if is(PERHAPS) && !is_static => match self.facts.has_collections() {
                true => Kind::Perhaps,
                false => Kind::None,
            },
            () if owner == "java/util/logging/Logger" && !name.starts_with("get") => Kind::Place,
            // Other methods of iterators say what is known already.
            () if owner == "java/util/Iterator" && matches!(&*name, "next" | "remove") => {
                match self.facts.has_collections() {
                    true => Kind::Perhaps,
                    false => Kind::None,
                }
            }
            () if starts(WIRES) && WIRED.iter().any(|start| name.starts_with(start)) => Kind::Place,
            () if owner.starts_with("java/") || owner.starts_with('[') => Kind::None,
            () if is_inherited(&name, &descriptor, is_static) => Kind::Pools,
            () if self.facts.is_synchronized(&name, &descriptor) => Kind::Place,
            () => Kind::None,
        }
    }

    /// Whether a call of the JDK's type may be that of a synchronized method.
    fn hands_on(&self, owner: &str, name: &str, descriptor: &str) -> bool {
        let implemented = IMPLEMENTED.iter().any(|package| owner.starts_with(package));
        (implemented || owner.starts_with("java/util/function/"))
            && self.facts.is_synchronized(name, descriptor)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_bulk, is_inherited};

    #[test]
    fn only_what_the_jdk_declares_is_inherited_from_it() {
        let inherited = |name, descriptor| is_inherited(name, descriptor, false);
        assert!(inherited("fork", "()Ljava/util/concurrent/ForkJoinTask;"));
        assert!(inherited("join", "()Ljava/lang/Object;"));
        let submit = "(Ljava/lang/Runnable;)Ljava/util/concurrent/Future;";
        assert!(inherited("submit", submit));
        let all = "(Ljava/util/concurrent/ForkJoinTask;Ljava/util/concurrent/ForkJoinTask;)V";
        assert!(is_inherited("invokeAll", all, true));

        // A program's own.
        assert!(!inherited("fork", "([JIII)V"));
        assert!(!is_inherited("fork", "([JIII)V", true));
        assert!(!inherited("join", "(Ljava/lang/String;)Ljava/lang/String;"));
        assert!(!inherited("submit", "(Lapp/Order;)V"));
        assert!(!is_inherited("join", "()Ljava/lang/Object;", true));
    }

    #[test]
    fn what_pools_compute_behind_other_calls_is_known() {
        assert!(is_bulk("java/util/Arrays", "parallelSort", "([I)V"));
        assert!(!is_bulk("java/util/Arrays", "sort", "([I)V"));
        let map = "java/util/concurrent/ConcurrentHashMap";
        let each = "(JLjava/util/function/BiConsumer;)V";
        assert!(is_bulk(map, "forEach", each));
        assert!(!is_bulk(
            map,
            "forEach",
            "(Ljava/util/function/BiConsumer;)V"
        ));
        assert!(!is_bulk("app/Table", "forEach", each));
    }
}
