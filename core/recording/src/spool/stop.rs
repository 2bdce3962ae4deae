//! Asking a recorder to end its recording, from another process.
//!
//! Whoever may write to the spool may ask: its owner. The drainer looks at the
//! request between two rounds.

use super::{
    create::SpoolError,
    layout::{self, header},
};
use std::{fs::File, os::unix::fs::FileExt, path::Path};

/// Asks the recorder that drains this spool to end the recording.
pub fn ask_to_stop(spool: &Path) -> Result<(), SpoolError> {
    let file = File::options().read(true).write(true).open(spool)?;
    let mut bytes = [0; header::LEN];
    file.read_exact_at(&mut bytes, 0)
        .map_err(|_| SpoolError::NotASpool)?;
    layout::Spool::read(&bytes).ok_or(SpoolError::NotASpool)?;
    file.write_all_at(&1_u32.to_le_bytes(), header::STOP as u64)?;
    Ok(())
}
