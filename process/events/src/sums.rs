//! Checksums of a process's pages, to tell whether a replay ended with the same
//! memory without storing that memory.

/// The length of a page.
pub const PAGE: u64 = 4096;

/// How far below the stack pointer memory is in use. What is further down is
/// garbage that signal handlers and the dynamic linker leave behind; some of it
/// tells about the processor and not about the program.
pub const STACK_RED_ZONE: u64 = 128;

/// The checksums of pages, as runs of pages that follow each other. Pages that
/// are all zero are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSums {
    /// The address of the first page and the checksums from there on.
    pub runs: Vec<(u64, Vec<u32>)>,
}

impl PageSums {
    /// Adds a page; addresses must rise.
    pub fn push(&mut self, address: u64, sum: u32) {
        if let Some((start, sums)) = self.runs.last_mut()
            && *start + sums.len() as u64 * PAGE == address
        {
            sums.push(sum);
            return;
        }
        self.runs.push((address, vec![sum]));
    }

    /// The pages with their checksums.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.runs.iter().flat_map(|(start, sums)| {
            let addresses = (0..).map(move |index| start.wrapping_add(index * PAGE));
            addresses.zip(sums.iter().copied())
        })
    }

    /// How many pages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.iter().map(|(_, sums)| sums.len()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Blanks what is not in use and must not be compared. Both sides do this
    /// to a page before they sum it.
    pub fn blank_unused(address: u64, page: &mut [u8], unused: (u64, u64)) {
        let within = |limit: u64| {
            let offset = usize::try_from(limit.saturating_sub(address)).unwrap_or(usize::MAX);
            offset.min(page.len())
        };
        let (from, to) = (within(unused.0), within(unused.1));
        if from < to {
            page[from..to].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_run() {
        let mut sums = PageSums::default();
        for (address, sum) in [(0x1000, 1), (0x2000, 2), (0x5000, 3)] {
            sums.push(address, sum);
        }
        assert_eq!(sums.runs.len(), 2);
        assert_eq!(sums.len(), 3);
        let pages: Vec<_> = sums.iter().collect();
        assert_eq!(pages, [(0x1000, 1), (0x2000, 2), (0x5000, 3)]);
    }

    #[test]
    fn only_what_is_unused_is_blanked() {
        let mut page = [1; 4096];
        PageSums::blank_unused(0x1000, &mut page, (0x800, 0x1100));
        assert_eq!((page[0], page[0xff], page[0x100]), (0, 0, 1));
        let mut page = [1; 4096];
        PageSums::blank_unused(0x1000, &mut page, (0x4000, 0x6000));
        PageSums::blank_unused(0x1000, &mut page, (0x100, 0x1000));
        assert_eq!(page, [1; 4096]);
    }
}
