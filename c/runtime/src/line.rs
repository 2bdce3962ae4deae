//! What `getline` and `getdelim` of a program that is cut are made of: a line is read by the C
//! library into memory that is kept here, and then put where the program wants it. Both are
//! calls to the outside, so a replay comes to neither.

use std::cell::Cell;
use std::ptr;

unsafe extern "C" {
    fn getdelim(line: *mut *mut u8, size: *mut usize, delimiter: i32, from: *mut u8) -> isize;
    fn free(pointer: *mut u8);
}

/// The last line of a thread, and how much room there is.
struct Line {
    text: Cell<*mut u8>,
    room: Cell<usize>,
}

impl Drop for Line {
    fn drop(&mut self) {
        // SAFETY: the C library has allocated it, or it is null.
        unsafe { free(self.text.get()) };
    }
}

thread_local! {
    static LINE: Line = const {
        Line {
            text: Cell::new(ptr::null_mut()),
            room: Cell::new(0),
        }
    };
}

/// Reads a line; how long it is, or less than nothing.
#[unsafe(no_mangle)]
extern "C" fn __reprise_line(delimiter: i32, from: *mut u8) -> isize {
    let read = LINE.try_with(|line| {
        let (mut text, mut room) = (line.text.get(), line.room.get());
        // SAFETY: it is what the program does here, with memory that is only this thread's.
        let len = unsafe { getdelim(&raw mut text, &raw mut room, delimiter, from) };
        line.text.set(text);
        line.room.set(room);
        len
    });
    // The thread has ended but for what its libraries still do.
    read.unwrap_or(-1)
}

/// Puts the line where the program wants it.
#[unsafe(no_mangle)]
extern "C" fn __reprise_line_taken(to: *mut u8, len: usize) {
    let _ = LINE.try_with(|line| {
        if len <= line.room.get() {
            // SAFETY: the line is at least as long, and the program has made room for it.
            unsafe { ptr::copy_nonoverlapping(line.text.get(), to, len) };
        }
    });
}
