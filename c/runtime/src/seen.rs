//! What inside code has last read at places outside.
//!
//! Most of what it reads there it has read before, and it has not changed since. Such a read
//! is no event: run and replay both keep what was read last, place by place, and the next
//! value in the log says how many reads before it have found that. A run looks at the memory
//! itself each time, so it does not matter who may have written there. Both put the same
//! values to the same places in the same order: those that are in the log.
//!
//! There are not as many of these places as there are addresses; a place belongs to the
//! address that was read last of those that share it. What a computation about outside memory
//! has found (the length of a text, which of two is the greater) has a place by its site.

/// What was last read at an address.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Where, and how many bytes; 0 if nothing was, where no program has memory.
    key: u64,
    /// The bytes, lowest first, and zeros.
    value: u64,
}

/// 256 KiB in all, of which a program uses what its addresses come to. With a quarter of that a tenth
/// of what a module of httpd writes down is values that others have driven out.
const BITS: u32 = 14;

static mut PLACES: [Place; 1 << BITS] = [Place { key: 0, value: 0 }; 1 << BITS];

fn key(address: u64, len: usize) -> u64 {
    // Addresses of programs have 47 bits. A word, which is what is read most, has itself as its key.
    address | u64::from(3 - len.trailing_zeros() % 4) << 56
}

/// The place of an address, for as many bytes as one load of a processor has. Only whose turn
/// it is asks for it.
#[inline]
pub(crate) fn place(address: *const u8, len: usize) -> Option<&'static mut Place> {
    if !matches!(len, 1 | 2 | 4 | 8) {
        return None;
    }
    let address = address.addr() as u64;
    Some(at(index(address, len, BITS)))
}

/// Which place that is, of so many. What is near in memory is near here, too, and neighbours of the same
/// length, as the characters of a text, have a place each.
pub(crate) fn index(address: u64, len: usize, bits: u32) -> u64 {
    (address >> len.trailing_zeros() ^ address >> (bits + 2)) % (1 << bits)
}

/// The place of what is computed at a site, which is that of no address.
pub(crate) fn place_of(site: u32) -> (*const u8, &'static mut Place) {
    let address = u64::from(site) | 1 << 48;
    let key = std::ptr::without_provenance(address as usize);
    (key, at(u64::from(site)))
}

fn at(index: u64) -> &'static mut Place {
    let index = index % (1 << BITS);
    // SAFETY: the index is within; one thread is inside at a time, and uses one at a time.
    unsafe { &mut *(&raw mut PLACES).cast::<Place>().add(index as usize) }
}

impl Place {
    /// Whether it is the one of this address.
    pub(crate) fn is(&self, address: *const u8, len: usize) -> bool {
        self.key == key(address.addr() as u64, len)
    }

    /// Whether this was found there.
    pub(crate) fn has(&self, value: u64) -> bool {
        self.value == value
    }

    pub(crate) fn set(&mut self, address: *const u8, len: usize, value: u64) {
        *self = Self {
            key: key(address.addr() as u64, len),
            value,
        };
    }

    /// What was found there.
    pub(crate) fn word(&self) -> u64 {
        self.value
    }

    /// From where to load it.
    pub(crate) fn value(&self) -> *const u8 {
        (&raw const self.value).cast()
    }
}

/// Memory as a number, read in one piece: another thread may write there at any moment.
///
/// # Safety
/// `len` bytes can be read there, and `len` is that of a place.
pub(crate) unsafe fn load(address: *const u8, len: usize) -> u64 {
    // SAFETY: as the caller says. It is not read a second time where it is used.
    std::hint::black_box(unsafe { look(address, len) })
}

/// The same for who only compares it.
///
/// # Safety
/// As of [`load`].
#[inline]
pub(crate) unsafe fn look(address: *const u8, len: usize) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        match len {
            1 => u64::from(address.read()),
            2 => u64::from(address.cast::<u16>().read_unaligned()),
            4 => u64::from(address.cast::<u32>().read_unaligned()),
            _ => address.cast::<u64>().read_unaligned(),
        }
    }
}
