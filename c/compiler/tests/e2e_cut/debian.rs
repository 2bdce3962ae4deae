//! Programs from Debian's sources, fetched by apt and built by `reprise cc`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::stage::{Folder, Stage, done, reprise};

/// Whether this is a study: programs take minutes to build.
pub(crate) fn is_study() -> bool {
    std::env::var_os("REPRISE_STUDY").is_some()
}

/// A folder that studies keep: what was built there is there the next time.
pub(crate) fn folder(name: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-programs");
    let folder = all.join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder for a program, if this is a study.
pub(crate) fn stage(name: &str) -> Option<Stage> {
    let folder = is_study().then(|| Folder::Kept(folder(name)))?;
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

    /// A source package, and what a script makes of it, unless the same script has made it
    /// with the same compiler before. Nothing is weighed yet.
    pub(crate) fn source(&self, package: &str, make: &str) {
        let folder = self.folder.path().join(format!("{package}.src"));
        // Each study has its own copy of the command.
        let like = make.replace(&reprise().display().to_string(), "reprise");
        let how = format!("{like}\n\n{}", include_str!("../../src/wrapper.rs"));
        let made = folder.join("made");
        if fs::read_to_string(&made).is_ok_and(|before| before == how) {
            let weights = "find . -name '*.reprise.weights' -delete";
            done(script(weights).current_dir(&folder));
            return;
        }
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        done(apt(&["-q", "source", "--download-only", package]).current_dir(&folder));
        let unpack = "tar xf $(ls *.orig.tar.* | grep -v asc) && mv $(ls -d */) tree && cd tree";
        done(script(&format!("{unpack} && {make}")).current_dir(&folder));
        fs::write(made, how).unwrap();
    }
}

fn script(text: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", text]);
    command
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
        fs::write(folder.path().join("list"), sources()).unwrap();
        done(&mut command(folder.path(), &["-q", "update"]));
        folder
    });
    command(folder.path(), what)
}

/// Where the system's packages come from, of Debian itself: their sources are there, too.
fn sources() -> String {
    let mut lists = vec![PathBuf::from("/etc/apt/sources.list")];
    let more = fs::read_dir("/etc/apt/sources.list.d")
        .into_iter()
        .flatten();
    lists.extend(more.map(|one| one.unwrap().path()));
    let texts = lists
        .iter()
        .filter_map(|list| fs::read_to_string(list).ok());
    texts.map(|text| of_list(&text)).collect()
}

/// The lines for sources that belong to a list of packages, in either of its two forms.
fn of_list(text: &str) -> String {
    let mut all = String::new();
    let mut add = |place: &str, suite: &str, parts: &str| {
        let debian = place.trim_end_matches('/').ends_with("/debian");
        if debian && !suite.contains('-') {
            all.push_str(&format!("deb-src {place} {suite} {parts}\n"));
        }
    };
    for line in text.lines() {
        // Options of a package's source are in brackets.
        let line = line.replace(['[', ']'], "\u{1}");
        let bare: String = line.split('\u{1}').step_by(2).collect();
        let words: Vec<&str> = bare.split_whitespace().collect();
        if let ["deb", place, suite, parts @ ..] = words.as_slice() {
            add(place, suite, &parts.join(" "));
        }
    }
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            let mut lines = stanza.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.trim()))
        };
        let (Some(places), Some(suites)) = (field("URIs:"), field("Suites:")) else {
            continue;
        };
        for place in places.split_whitespace() {
            for suite in suites.split_whitespace() {
                add(place, suite, field("Components:").unwrap_or("main"));
            }
        }
    }
    all
}

#[test]
fn sources_are_where_packages_are() {
    let old = "# x\ndeb [signed-by=/k] http://there/debian bookworm main contrib\n\
               deb http://other/apt stable main\n";
    let expected = "deb-src http://there/debian bookworm main contrib\n";
    assert_eq!(of_list(old), expected);
    let new = "Types: deb\n# before\nURIs: http://there/debian/\nSuites: bookworm \
               bookworm-updates\nComponents: main\n\nTypes: deb\nURIs: http://o/x\n\
               Suites: y\n";
    let expected = "deb-src http://there/debian/ bookworm main\n";
    assert_eq!(of_list(new), expected);
}
