//! Where a schedule is written to: standard output, or a file that did not exist.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Status};

/// Where to write. A file that is not finished is removed again.
pub struct Output {
    to: BufWriter<Box<dyn Write>>,
    file: Option<PathBuf>,
    finished: bool,
}

impl Output {
    /// Opens the file, or standard output.
    pub fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let to: Box<dyn Write> = match path {
            None => Box::new(io::stdout()),
            Some(path) => Box::new(File::create_new(path).map_err(|error| {
                let failure = Failure::new(format!("create {}", path.display()), &error);
                match error.kind() {
                    io::ErrorKind::AlreadyExists => failure
                        .next("another name: no file is written over")
                        .status(Status::BadInput),
                    _ => failure,
                }
            })?),
        };
        Ok(Self {
            to: BufWriter::with_capacity(64 << 10, to),
            file: path.map(Path::to_owned),
            finished: false,
        })
    }

    /// Writes a text.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.to.write_all(text.as_bytes());
        written.map_err(|error| self.failure(error))
    }

    /// Everything has been written.
    pub fn finish(mut self) -> Result<(), Failure> {
        let written = self.to.flush();
        written.map_err(|error| self.failure(error))?;
        self.finished = true;
        Ok(())
    }

    fn failure(&self, error: io::Error) -> Failure {
        match &self.file {
            Some(path) => Failure::new(format!("write {}", path.display()), error),
            None => Failure::output(error),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(path) = self.file.take().filter(|_| !self.finished) {
            // It was ours: nobody else could create it.
            let _ = fs::remove_file(path);
        }
    }
}
