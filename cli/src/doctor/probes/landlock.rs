//! Denying files: the wall around a replay JVM, which has to open files of its
//! own first and so cannot live behind a filter of system calls alone.

use std::fs::File;
use std::io;

use ::landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, LandlockStatus, Ruleset,
    RulesetAttr as _, RulesetError,
};

use crate::doctor::finding::Finding;

/// Something that everybody may open.
const PUBLIC: &str = "/proc/self/status";

/// Gives up all access to files and sees that it is gone.
pub(super) fn probe() -> Finding {
    if let Err(error) = File::open(PUBLIC) {
        return Finding::fails(format!("{PUBLIC} cannot be opened to begin with: {error}"));
    }
    let status = match restrict() {
        Ok(status) => status,
        Err(error) => {
            return Finding::fails(format!("files cannot be denied: {error}")).fix(
                "a kernel from 5.13 on, booted with landlock among lsm=… \
                 (cat /sys/kernel/security/lsm lists what is active)",
            );
        }
    };
    match File::open(PUBLIC) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Finding::works(format!("denied itself all files{}", abi(status)))
        }
        _ => Finding::fails("files were denied and could still be opened"),
    }
}

fn restrict() -> Result<LandlockStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .create()?;
    Ok(ruleset.restrict_self()?.landlock)
}

fn abi(status: LandlockStatus) -> String {
    match status {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => {
            let version = kernel_abi.unwrap_or(effective_abi as i32);
            format!(" (Landlock ABI {version})")
        }
        _ => String::new(),
    }
}
