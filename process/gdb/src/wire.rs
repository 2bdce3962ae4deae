//! The connection to a client.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use gdbstub::conn::{Connection, ConnectionExt};

/// How much is read at once.
const CHUNK: usize = 4096;

/// A connection to a client, with what it has sent and what it has not got yet.
pub struct Wire {
    stream: Stream,
    incoming: VecDeque<u8>,
    outgoing: Vec<u8>,
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl From<TcpStream> for Wire {
    fn from(stream: TcpStream) -> Self {
        // A debugger waits for each answer.
        let _ = stream.set_nodelay(true);
        Self::new(Stream::Tcp(stream))
    }
}

impl From<UnixStream> for Wire {
    fn from(stream: UnixStream) -> Self {
        Self::new(Stream::Unix(stream))
    }
}

impl Wire {
    fn new(stream: Stream) -> Self {
        Self {
            stream,
            incoming: VecDeque::new(),
            outgoing: Vec::new(),
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        let read = match &mut self.stream {
            Stream::Tcp(stream) => Read::read(stream, &mut chunk)?,
            Stream::Unix(stream) => Read::read(stream, &mut chunk)?,
        };
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.incoming.extend(&chunk[..read]);
        Ok(())
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.stream {
            Stream::Tcp(stream) => stream.set_nonblocking(nonblocking),
            Stream::Unix(stream) => stream.set_nonblocking(nonblocking),
        }
    }
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.outgoing.push(byte);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.outgoing);
        match &mut self.stream {
            Stream::Tcp(stream) => Write::write_all(stream, &bytes),
            Stream::Unix(stream) => Write::write_all(stream, &bytes),
        }
    }
}

impl ConnectionExt for Wire {
    fn read(&mut self) -> io::Result<u8> {
        loop {
            if let Some(byte) = self.incoming.pop_front() {
                return Ok(byte);
            }
            match self.fill() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => other?,
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.incoming.is_empty() {
            self.set_nonblocking(true)?;
            let filled = self.fill();
            self.set_nonblocking(false)?;
            match filled {
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                other => other?,
            }
        }
        Ok(self.incoming.front().copied())
    }
}
