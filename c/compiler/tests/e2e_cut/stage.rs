//! A folder in which a program is compiled, cut, recorded and replayed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::debian;

/// The command, with everything that it needs beside it.
pub(crate) fn reprise() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let status = Command::new(env!("CARGO"))
            .args([
                "build",
                "--locked",
                "-p",
                "reprise",
                "-p",
                "reprise-c-runtime",
                // The same features as in the build of this test.
                "-p",
                "reprise-cc",
                "--features",
                "reprise-cc/llvm",
            ])
            .args((!cfg!(debug_assertions)).then_some("--release"))
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .status();
        assert!(status.unwrap().success());
        let part = Path::new(env!("CARGO_BIN_EXE_reprise-cc"));
        let built = part.with_file_name("reprise");
        if debian::is_study() {
            apart(&built)
        } else {
            built
        }
    })
}

/// A study takes long: what is built meanwhile is not what it measures.
fn apart(built: &Path) -> PathBuf {
    let all = debian::folder("bin");
    for old in fs::read_dir(&all).unwrap() {
        let old = old.unwrap();
        let process = old.file_name().into_string().unwrap_or_default();
        if !Path::new("/proc").join(process).exists() {
            let _ = fs::remove_dir_all(old.path());
        }
    }
    let folder = all.join(std::process::id().to_string());
    fs::create_dir_all(&folder).unwrap();
    for name in ["reprise", "reprise-cc", "libreprise_c.a"] {
        fs::copy(built.with_file_name(name), folder.join(name)).unwrap();
    }
    folder.join("reprise")
}

/// A folder: one that goes away, or one that stays for the next time.
pub(crate) enum Folder {
    Temporary(tempfile::TempDir),
    Kept(PathBuf),
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }
}

/// A folder with a subject, compiled.
pub(crate) struct Stage {
    pub(crate) folder: Folder,
}

impl Stage {
    pub(crate) fn new(subject: &str) -> Self {
        Self::linked(subject, &[])
    }

    /// The same, linked with libraries.
    pub(crate) fn linked(subject: &str, libraries: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let source = root.join("subjects").join(subject).join("main.c");
        fs::copy(source, folder.path().join("main.c")).unwrap();
        let folder = Folder::Temporary(folder);
        let stage = Self { folder };
        stage.run(&[&["cc", "-o", "prog", "main.c"], libraries].concat());
        stage
    }

    pub(crate) fn try_to(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(reprise());
        command.args(arguments).current_dir(self.folder.path());
        command.output().unwrap()
    }

    /// Standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (String, String) {
        let output = self.try_to(arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}\n{out}{err}");
        (out, err)
    }

    /// Cuts, records and replays; returns what `cut` says and the last line of the
    /// replay.
    pub(crate) fn whole_way(&self, how: &[&str]) -> (String, String) {
        for old in ["prog.cut", "x.reprise"] {
            let _ = fs::remove_file(self.folder.path().join(old));
        }
        let cut = [&["cut", "./prog", "-o", "prog.cut"], how].concat();
        let (said, _) = self.run(&cut);
        println!("--- {}\n{said}", how.join(" "));
        let (plain, _) = self.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
        assert!(!plain.is_empty());
        // The program is not needed any more.
        fs::rename(
            self.folder.path().join("prog.cut"),
            self.folder.path().join("gone"),
        )
        .unwrap();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        fs::rename(
            self.folder.path().join("gone"),
            self.folder.path().join("prog.cut"),
        )
        .unwrap();
        println!("{replayed}");
        assert!(replayed.contains("to the end; the memory of the inside is the same"));
        (said, replayed)
    }
}

impl Stage {
    /// Records a run that comes to where recording ends, and replays what there is.
    pub(crate) fn as_far_as_recorded(&self, arguments: &[&str]) -> String {
        let _ = fs::remove_file(self.folder.path().join("y.reprise"));
        let record = ["record", "-o", "y.reprise", "--", "./prog.cut"];
        let (said, recorded) = self.run(&[&record, arguments].concat());
        assert!(recorded.contains("the rest of the run"), "{recorded}");
        let (_, replayed) = self.run(&["replay", "y.reprise"]);
        let far = "as far as the recording goes";
        assert!(replayed.contains(far), "{replayed}");
        said
    }
}

pub(crate) fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{output:?}");
}
