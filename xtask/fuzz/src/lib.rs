//! What every fuzz target shares.
//!
//! A target is one file, `src/bin/NAME.rs`:
//!
//! ```ignore
//! //! What is fuzzed, and which promise is checked.
//! #![cfg_attr(fuzzing, no_main)]
//!
//! reprise_fuzz::target!(|data| {
//!     let _ = my_crate::parse(data);
//! });
//! ```
//!
//! The same file is built in three ways. `cargo xtask fuzz NAME SECONDS` sets
//! `--cfg fuzzing` and gets a libFuzzer program. An ordinary build gets a
//! program that feeds the files named on its command line to the target, which
//! is how a crash is reproduced under a debugger. A test build gets a test
//! that feeds it every seed, so that a crash kept as a seed stays fixed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

#[cfg(fuzzing)]
#[doc(hidden)]
pub use libfuzzer_sys;

/// Defines the target of this file: a closure over the bytes to try.
#[macro_export]
macro_rules! target {
    (|$data:ident| $body:block) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|$data: &[u8]| $body);

        #[cfg(not(fuzzing))]
        fn fuzz_one($data: &[u8]) $body

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::replay_arguments(fuzz_one)
        }

        #[cfg(all(test, not(fuzzing)))]
        #[test]
        fn seeds() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/", env!("CARGO_BIN_NAME"));
            $crate::replay_seeds(folder.as_ref(), fuzz_one).unwrap();
        }
    };
}

/// Feeds each file named on the command line to `target`.
pub fn replay_arguments(target: fn(&[u8])) -> ExitCode {
    let files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        eprintln!("Name the files to try; `cargo xtask fuzz` looks for new ones.");
        return ExitCode::from(2);
    }
    for file in files {
        match fs::read(&file) {
            Ok(bytes) => {
                println!("{}: {} bytes", file.display(), bytes.len());
                target(&bytes);
            }
            Err(error) => {
                eprintln!("Cannot read {}: {error}.", file.display());
                return ExitCode::from(2);
            }
        }
    }
    println!("None of these files crashes the target.");
    ExitCode::SUCCESS
}

/// Feeds the empty input and every file in `folder`, if there is one, to `target`.
pub fn replay_seeds(folder: &Path, target: fn(&[u8])) -> io::Result<()> {
    target(&[]);
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            target(&fs::read(entry?.path())?);
        }
    }
    Ok(())
}
