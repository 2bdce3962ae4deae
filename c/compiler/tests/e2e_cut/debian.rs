//! Programs from Debian's sources, fetched by apt and built by `reprise cc`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::stage::{Stage, done, reprise};

/// A folder for programs, if this is a study: it takes minutes.
pub(crate) fn stage() -> Option<Stage> {
    std::env::var_os("REPRISE_STUDY")?;
    let folder = tempfile::tempdir().unwrap();
    Some(Stage { folder })
}

impl Stage {
    /// A program that is built as most are.
    pub(crate) fn built(&self, package: &str, program: &str, options: &str) -> String {
        let cc = reprise().display();
        let make = format!("CC='{cc} cc' ./configure -q {options} && make MAKEINFO=true -s");
        self.source(package, &make);
        format!("./{package}.src/tree/{program}")
    }

    /// A source package, and what a script makes of it.
    pub(crate) fn source(&self, package: &str, make: &str) {
        let folder = self.folder.path().join(format!("{package}.src"));
        fs::create_dir_all(&folder).unwrap();
        done(apt(&["-q", "source", "--download-only", package]).current_dir(&folder));
        let script = format!(
            "tar xf $(ls *.orig.tar.* | grep -v asc) && mv $(ls -d */) tree && cd tree && {make}"
        );
        done(
            Command::new("sh")
                .args(["-c", &script])
                .current_dir(&folder),
        );
    }
}

/// apt, with lists of sources of its own: nothing of the system is changed.
fn apt(what: &[&str]) -> Command {
    static LISTS: OnceLock<tempfile::TempDir> = OnceLock::new();
    let command = |folder: &Path, what: &[&str]| {
        let mut command = Command::new("apt-get");
        let at = folder.display();
        for option in [
            format!("Dir::Etc::SourceList={at}/list"),
            "Dir::Etc::SourceParts=/dev/null".to_owned(),
            format!("Dir::State::Lists={at}/lists"),
            format!("Dir::Cache={at}"),
            "APT::Sandbox::User=root".to_owned(),
        ] {
            command.args(["-o", &option]);
        }
        command.args(what);
        command
    };
    let folder = LISTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("lists/partial")).unwrap();
        let release = fs::read_to_string("/etc/os-release").unwrap();
        let mut lines = release.lines();
        let name = lines.find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let list = format!(
            "deb-src http://deb.debian.org/debian {} main\n",
            name.unwrap()
        );
        fs::write(folder.path().join("list"), list).unwrap();
        done(&mut command(folder.path(), &["-q", "update"]));
        folder
    });
    command(folder.path(), what)
}
