//! Which memory is inside: by its address.

use reprise_c_events::area;

unsafe extern "C" {
    #[link_name = "__start_reprise_inside"]
    static INSIDE_START: u8;
    #[link_name = "__stop_reprise_inside"]
    static INSIDE_END: u8;
    #[link_name = "__executable_start"]
    static EXECUTABLE_START: u8;
    #[link_name = "etext"]
    static TEXT_END: u8;
}

/// The inside stack pointer: variables of inside functions whose address is taken
/// are below the top of this stack, at the same place in run and replay.
#[unsafe(no_mangle)]
#[unsafe(link_section = "reprise_inside")]
static mut __reprise_sp: u64 = area::START + area::STACK_LEN;

pub(crate) fn stack_pointer() -> u64 {
    // SAFETY: one thread is inside at a time, and only code that is inside moves it.
    unsafe { (&raw const __reprise_sp).read() }
}

/// Another thread's turn: its stack.
pub(crate) fn set_stack_pointer(to: u64) {
    // SAFETY: whose turn it is may move it.
    unsafe { (&raw mut __reprise_sp).write(to) };
}

/// The part of the executable that holds inside globals.
pub(crate) fn globals() -> (u64, u64) {
    (
        (&raw const INSIDE_START).addr() as u64,
        (&raw const INSIDE_END).addr() as u64,
    )
}

/// Whether memory is inside and can be written.
pub(crate) fn is_owned(address: u64) -> bool {
    let (start, end) = globals();
    address.wrapping_sub(area::START) < area::LEN || (start..end).contains(&address)
}

/// Whether memory is the same in a replay: it is inside, or nobody can write to it.
pub(crate) fn is_inside(address: u64) -> bool {
    let fixed = (&raw const EXECUTABLE_START).addr() as u64..(&raw const TEXT_END).addr() as u64;
    is_owned(address) || fixed.contains(&address)
}

/// Makes the area, at its place.
pub(crate) fn map_area() -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let place = std::ptr::without_provenance_mut(area::START as usize);
    let all = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: nothing else is there, or the kernel refuses.
    unsafe { mmap_anonymous(place, area::LEN as usize, all, flags) }.is_ok()
}

/// A checksum of all that is inside.
pub(crate) fn sum() -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    let top = area::START + area::STACK_LEN;
    // Where the last thread was another one than the first, its variables are elsewhere.
    let stack = match stack_pointer() {
        here @ area::START.. if here <= top => (here, top),
        _ => (top, top),
    };
    for (start, end) in [globals(), stack, crate::pool::used()] {
        let mut at = start.next_multiple_of(8);
        while at + 8 <= end {
            // SAFETY: the ranges are the program's, mapped, and nobody else writes.
            let word = unsafe { (at as *const u64).read_volatile() };
            sum = (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
            at += 8;
        }
    }
    sum
}
