//! The methods, and what each is about to do.

/// What a method is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Reads or accepts.
    Reads,
    /// Accepts, receives or reads for the time that the field `timeout` says.
    For(&'static str),
    /// The same, and others come before it in what threads that run freely did.
    Accepts,
    /// Connects to something.
    Connects,
    /// Does something else that others may notice outside.
    Puts,
    /// Reads for the time that an argument says.
    ReadsWithin(u16),
    /// Reads bytes into an array: all of it, or from where and how many.
    ReadsArray,
    ReadsBytes,
    /// Reads into a buffer.
    ReadsBuffer,
    /// Writes as much as there is room for, or more.
    Writes,
    /// Writes bytes: an array, from where, how many.
    WritesBytes,
    /// Writes a buffer.
    WritesBuffer,
    /// Writes some of several buffers: from where, how many.
    WritesBuffers,
    /// Waits for a process.
    Exits,
    /// The same, for some time.
    ExitsFor,
    /// Wants to be told of the end of a process.
    Watches,
    /// Locks a part of a file.
    Locks,
    /// Calls `epoll`.
    Selects,
    /// Registers a channel with a selector.
    Registers,
    /// Closes something.
    Closes,
    /// Makes a set whose order programs see.
    Orders,
}

/// Class, method, descriptor (empty for any) and what it is about to do. A method that a
/// release does not have is no harm.
pub(super) const METHODS: &[(&str, &str, &str, Deed)] = &[
    ("java/io/FileInputStream", "read", "([B)I", Deed::ReadsArray),
    (
        "java/io/FileInputStream",
        "read",
        "([BII)I",
        Deed::ReadsBytes,
    ),
    ("java/io/FileInputStream", "read", "", Deed::Reads),
    ("java/io/FileInputStream", "close", "", Deed::Closes),
    ("java/io/FileOutputStream", "write", "(I)V", Deed::Writes),
    ("java/io/FileOutputStream", "write", "([B)V", Deed::Writes),
    (
        "java/io/FileOutputStream",
        "write",
        "([BII)V",
        Deed::WritesBytes,
    ),
    ("java/io/FileOutputStream", "close", "", Deed::Closes),
    ("java/lang/ProcessImpl", "onExit", "", Deed::Watches),
    ("java/lang/ProcessImpl", "waitFor", "()I", Deed::Exits),
    (
        "java/lang/ProcessImpl",
        "waitFor",
        "(JLjava/util/concurrent/TimeUnit;)Z",
        Deed::ExitsFor,
    ),
    (
        "java/net/AbstractPlainDatagramSocketImpl",
        "receive",
        "",
        Deed::For("receives"),
    ),
    (
        "java/net/AbstractPlainDatagramSocketImpl",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "java/net/AbstractPlainSocketImpl",
        "accept",
        "",
        Deed::Accepts,
    ),
    (
        "java/net/AbstractPlainSocketImpl",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "java/net/AbstractPlainSocketImpl",
        "connect",
        "",
        Deed::Connects,
    ),
    (
        "java/net/Socket$SocketInputStream",
        "read",
        "([BII)I",
        Deed::ReadsBytes,
    ),
    (
        "java/net/Socket$SocketOutputStream",
        "write",
        "([BII)V",
        Deed::WritesBytes,
    ),
    (
        "java/net/SocketInputStream",
        "read",
        "([BII)I",
        Deed::ReadsBytes,
    ),
    (
        "java/net/SocketInputStream",
        "read",
        "([BIII)I",
        Deed::ReadsWithin(4),
    ),
    (
        "java/net/SocketOutputStream",
        "socketWrite",
        "([BII)V",
        Deed::WritesBytes,
    ),
    (
        "java/nio/channels/spi/AbstractInterruptibleChannel",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "sun/nio/ch/DatagramChannelImpl",
        "receive",
        "(Ljava/nio/ByteBuffer;)Ljava/net/SocketAddress;",
        Deed::Reads,
    ),
    (
        "sun/nio/ch/DatagramChannelImpl",
        "blockingReceive",
        "",
        Deed::Reads,
    ),
    ("sun/nio/ch/DatagramChannelImpl", "read", "", Deed::Reads),
    (
        "sun/nio/ch/EPollSelectorImpl",
        "doSelect",
        "",
        Deed::Selects,
    ),
    ("sun/nio/ch/EPollSelectorImpl", "wakeup", "", Deed::Puts),
    (
        "sun/nio/ch/FileChannelImpl",
        "lock",
        "(JJZ)Ljava/nio/channels/FileLock;",
        Deed::Locks,
    ),
    ("sun/nio/ch/NioSocketImpl", "accept", "", Deed::Accepts),
    (
        "sun/nio/ch/NioSocketImpl",
        "read",
        "([BII)I",
        Deed::For("reads"),
    ),
    ("sun/nio/ch/NioSocketImpl", "close", "", Deed::Closes),
    ("sun/nio/ch/NioSocketImpl", "connect", "", Deed::Connects),
    (
        "sun/nio/ch/ServerSocketChannelImpl",
        "accept",
        "()Ljava/nio/channels/SocketChannel;",
        Deed::Accepts,
    ),
    (
        "sun/nio/ch/SinkChannelImpl",
        "write",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::WritesBuffer,
    ),
    (
        "sun/nio/ch/SinkChannelImpl",
        "write",
        "([Ljava/nio/ByteBuffer;II)J",
        Deed::WritesBuffers,
    ),
    (
        "sun/nio/ch/SocketChannelImpl",
        "blockingRead",
        "",
        Deed::Reads,
    ),
    (
        "sun/nio/ch/SocketChannelImpl",
        "connect",
        "",
        Deed::Connects,
    ),
    (
        "sun/nio/ch/SocketChannelImpl",
        "read",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::ReadsBuffer,
    ),
    ("sun/nio/ch/SocketChannelImpl", "read", "", Deed::Reads),
    (
        "sun/nio/ch/SocketChannelImpl",
        "write",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::WritesBuffer,
    ),
    (
        "sun/nio/ch/SocketChannelImpl",
        "write",
        "([Ljava/nio/ByteBuffer;II)J",
        Deed::WritesBuffers,
    ),
    ("sun/nio/ch/SelectorImpl", "<init>", "", Deed::Orders),
    ("sun/nio/ch/SelectorImpl", "register", "", Deed::Registers),
    (
        "sun/nio/ch/SourceChannelImpl",
        "read",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::ReadsBuffer,
    ),
    ("sun/nio/ch/SourceChannelImpl", "read", "", Deed::Reads),
];
