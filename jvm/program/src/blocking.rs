//! The calls in which a thread can block and let others go on: `wait`, `join` and
//! `sleep`, as in the paper, and those of `java.util.concurrent`.

/// Classes and the methods of theirs that block. Subclasses inherit them.
const BLOCKING: &[(&str, &[&str])] = &[
    ("java/lang/Object", &["wait"]),
    ("java/lang/Process", &["waitFor"]),
    ("java/lang/Thread", &["join", "sleep"]),
    (
        "java/util/concurrent/BlockingDeque",
        &["putFirst", "putLast", "takeFirst", "takeLast"],
    ),
    (
        "java/util/concurrent/BlockingQueue",
        &["offer", "poll", "put", "take"],
    ),
    ("java/util/concurrent/CompletableFuture", &["get", "join"]),
    ("java/util/concurrent/CompletionService", &["poll", "take"]),
    ("java/util/concurrent/CountDownLatch", &["await"]),
    ("java/util/concurrent/CyclicBarrier", &["await"]),
    ("java/util/concurrent/Exchanger", &["exchange"]),
    (
        "java/util/concurrent/ExecutorService",
        &["awaitTermination", "close", "invokeAll", "invokeAny"],
    ),
    (
        "java/util/concurrent/ForkJoinPool",
        &["awaitQuiescence", "invoke"],
    ),
    (
        "java/util/concurrent/ForkJoinTask",
        &["get", "invoke", "join"],
    ),
    ("java/util/concurrent/Future", &["get"]),
    (
        "java/util/concurrent/Phaser",
        &[
            "arriveAndAwaitAdvance",
            "awaitAdvance",
            "awaitAdvanceInterruptibly",
        ],
    ),
    (
        "java/util/concurrent/Semaphore",
        &["acquire", "acquireUninterruptibly", "tryAcquire"],
    ),
    (
        "java/util/concurrent/TimeUnit",
        &["sleep", "timedJoin", "timedWait"],
    ),
    (
        "java/util/concurrent/TransferQueue",
        &["transfer", "tryTransfer"],
    ),
    (
        "java/util/concurrent/locks/Condition",
        &["await", "awaitNanos", "awaitUninterruptibly", "awaitUntil"],
    ),
    (
        "java/util/concurrent/locks/Lock",
        &["lock", "lockInterruptibly", "tryLock"],
    ),
    (
        "java/util/concurrent/locks/LockSupport",
        &["park", "parkNanos", "parkUntil"],
    ),
    (
        "java/util/concurrent/locks/StampedLock",
        &[
            "readLock",
            "readLockInterruptibly",
            "tryReadLock",
            "tryWriteLock",
            "writeLock",
            "writeLockInterruptibly",
        ],
    ),
];

/// What leads to threads when it is mentioned.
const STARTS_THREADS: &[&str] = &[
    "java/lang/Process",
    "java/lang/Thread",
    "java/lang/invoke/",
    "java/lang/ref/Cleaner",
    "java/lang/reflect/",
    "java/net/http/",
    "java/rmi/",
    "java/util/ServiceLoader",
    "java/util/Timer",
    "java/util/concurrent/",
    "java/util/stream/",
];

/// Whether a method of that name blocks in some class.
pub(crate) fn is_name(method: &str) -> bool {
    BLOCKING
        .iter()
        .any(|(_, methods)| methods.contains(&method))
}

/// Whether the method of that very class blocks.
pub(crate) fn is_blocking(class: &str, method: &str) -> bool {
    let found = BLOCKING.iter().find(|(known, _)| *known == class);
    found.is_some_and(|(_, methods)| methods.contains(&method))
}

/// Whether a program that mentions the class could start threads with it.
pub(crate) fn may_start_threads(class: &str) -> bool {
    STARTS_THREADS
        .iter()
        .any(|prefix| class.starts_with(prefix))
}
