//! What `reprise cc` keeps beside a program that it has linked: `PROG.reprise.bc`, the
//! bitcode of all of it, and `PROG.reprise.json`, how it was linked. Weighing adds
//! `PROG.reprise.weights`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How a program was linked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where.
    pub folder: PathBuf,
    /// With which arguments.
    pub arguments: Vec<String>,
    /// A checksum of the bitcode.
    pub sum: String,
}

/// The files beside a program.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The bitcode.
    pub bitcode: PathBuf,
    /// How it was linked.
    pub link: PathBuf,
    /// What was weighed.
    pub weights: PathBuf,
}

/// Why there is nothing to cut.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// There is no such file.
    #[error("{}: {error}", .path.display())]
    Program {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It was built by another compiler.
    #[error("{} was not built by `reprise cc`: there is no {}", .program.display(), .missing.display())]
    NotKept {
        /// The program.
        program: PathBuf,
        /// What is missing.
        missing: PathBuf,
    },
    /// What is beside it is of another build.
    #[error("{} belongs to another build of the program", .0.display())]
    OtherBuild(PathBuf),
}

impl Kept {
    /// Where the files of a program are.
    pub fn of(program: &Path) -> Self {
        let beside = |ending: &str| {
            let mut name = OsString::from(program);
            name.push(ending);
            PathBuf::from(name)
        };
        Self {
            bitcode: beside(".reprise.bc"),
            link: beside(".reprise.json"),
            weights: beside(".reprise.weights"),
        }
    }

    /// How the program was linked, if it was, and if the bitcode is that of this
    /// build.
    pub fn read(&self, program: &Path) -> Result<Link, KeptError> {
        if let Err(error) = fs::metadata(program) {
            let path = program.to_owned();
            return Err(KeptError::Program { path, error });
        }
        let not_kept = |missing: &Path| KeptError::NotKept {
            program: program.to_owned(),
            missing: missing.to_owned(),
        };
        let text = fs::read(&self.link).map_err(|_| not_kept(&self.link))?;
        let link: Link = serde_json::from_slice(&text).map_err(|_| not_kept(&self.link))?;
        let bitcode = fs::read(&self.bitcode).map_err(|_| not_kept(&self.bitcode))?;
        if sum(&bitcode) != link.sum {
            return Err(KeptError::OtherBuild(self.bitcode.clone()));
        }
        Ok(link)
    }
}

/// A checksum of bytes, as text.
pub fn sum(bytes: &[u8]) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{sum:016x}-{}", bytes.len())
}
