//! Which classes a command will find, as far as its arguments tell.
//!
//! A pattern that matches none of them is most likely misspelt, and that is
//! said before the program has run for an hour. It is no more than a warning:
//! loaders of the program's own may bring other classes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use reprise_probes::pattern::{Pattern, Patterns};

/// How deep folders are looked through, against loops of links.
const DEEPEST: usize = 64;

/// One line for each pattern that matches no class, with the nearest names.
pub fn unmatched(command: &[OsString], patterns: &Patterns) -> Vec<String> {
    let places = places(command.get(1..).unwrap_or_default());
    unmatched_in(&places.unwrap_or_default(), patterns)
}

/// The same for these jars and folders.
pub fn unmatched_in(places: &[PathBuf], patterns: &Patterns) -> Vec<String> {
    let mut names = BTreeSet::new();
    for place in places {
        if place.is_dir() {
            in_folder(place, "", 0, &mut names);
        } else {
            in_jar(place, &mut names);
        }
    }
    // With no classes at all, it is the class path that is not understood.
    if names.is_empty() {
        return Vec::new();
    }
    let matches = |pattern: &&Pattern| !names.iter().any(|name| pattern.speaks_of(name));
    patterns
        .iter()
        .filter(matches)
        .map(|pattern| line(pattern.text(), &names))
        .collect()
}

fn line(pattern: &str, names: &BTreeSet<String>) -> String {
    let wanted = pattern.trim_start_matches('!');
    // What is asked for is a class, or a package.
    let (wanted, packages) = match wanted.trim_end_matches('*').strip_suffix('.') {
        Some(package) => (package, true),
        None => (wanted, false),
    };
    let mut found: Vec<(f64, String)> = names
        .iter()
        .filter(|name| !name.contains('$'))
        .map(|name| name.replace('/', "."))
        .filter_map(|name| match packages {
            true => name.rsplit_once('.').map(|(package, _)| package.to_owned()),
            false => Some(name),
        })
        .collect::<BTreeSet<String>>()
        .into_iter()
        .map(|name| (nearness(wanted, &name), name))
        .filter(|(nearness, _)| *nearness > 0.6)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let found: Vec<String> = found
        .into_iter()
        .take(3)
        .map(|(_, name)| match packages {
            true => format!("{name}.**"),
            false => name,
        })
        .collect();
    let line = format!("no class on the class path matches '{pattern}'");
    match found.is_empty() {
        true => line,
        false => format!("{line}; the nearest: {}", found.join(", ")),
    }
}

/// How near two names are, up to 1; the last part alone counts, too, for who
/// forgot the package.
fn nearness(a: &str, b: &str) -> f64 {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let whole = strsim::normalized_damerau_levenshtein(a, b);
    match a.contains('.') {
        true => whole,
        false => whole.max(strsim::normalized_damerau_levenshtein(a, &last(b))),
    }
}

/// The class path of a launcher's arguments; none when it is not understood.
pub fn places(arguments: &[OsString]) -> Option<Vec<PathBuf>> {
    let mut class_path = std::env::var_os("CLASSPATH");
    let mut modules = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_bytes();
        match bytes {
            b"-cp" | b"-classpath" | b"--class-path" => class_path = rest.next().cloned(),
            b"-p" | b"--module-path" => modules = rest.next().cloned(),
            b"-jar" => {
                let jar = rest.next()?;
                return Some(vec![PathBuf::from(jar)]);
            }
            // The rest of the arguments is in a file.
            _ if bytes.starts_with(b"@") => return None,
            // A value follows.
            b"--add-modules"
            | b"--add-reads"
            | b"--add-exports"
            | b"--add-opens"
            | b"--limit-modules"
            | b"--patch-module"
            | b"--upgrade-module-path"
            | b"--source"
            | b"-m"
            | b"--module" => drop(rest.next()),
            _ if bytes.starts_with(b"-") => {
                if let Some(value) = bytes.strip_prefix(b"--class-path=") {
                    class_path = Some(OsStr::from_bytes(value).to_owned());
                } else if let Some(value) = bytes.strip_prefix(b"--module-path=") {
                    modules = Some(OsStr::from_bytes(value).to_owned());
                }
            }
            // A source file is compiled when it is run.
            _ if bytes.ends_with(b".java") => return None,
            _ => break,
        }
    }
    let mut places = Vec::new();
    for path in [class_path.or(Some(".".into())), modules]
        .into_iter()
        .flatten()
    {
        for entry in path.as_bytes().split(|byte| *byte == b':') {
            expand(OsStr::from_bytes(entry), &mut places);
        }
    }
    Some(places)
}

/// An entry of a class path: `lib/*` is every jar in `lib`.
fn expand(entry: &OsStr, places: &mut Vec<PathBuf>) {
    let path = Path::new(entry);
    if path.file_name() == Some(OsStr::new("*")) {
        let folder = path.parent().unwrap_or(Path::new("."));
        let jars = fs::read_dir(folder).into_iter().flatten().flatten();
        places.extend(jars.map(|entry| entry.path()).filter(|path| {
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("jar"))
        }));
    } else {
        let here = entry.is_empty();
        places.push(if here {
            PathBuf::from(".")
        } else {
            path.into()
        });
    }
}

fn in_folder(folder: &Path, package: &str, depth: usize, names: &mut BTreeSet<String>) {
    if depth > DEEPEST {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if path.is_dir() {
            in_folder(&path, &format!("{package}{name}/"), depth + 1, names);
        } else if let Some(class) = name.strip_suffix(".class") {
            names.insert(format!("{package}{class}"));
        } else if package.is_empty() && name.ends_with(".jar") {
            // A folder of a module path.
            in_jar(&path, names);
        }
    }
}

fn in_jar(jar: &Path, names: &mut BTreeSet<String>) {
    let Ok(file) = File::open(jar) else { return };
    let Ok(jar) = zip::ZipArchive::new(std::io::BufReader::new(file)) else {
        return;
    };
    for name in jar.file_names().flatten() {
        if let Some(class) = name.strip_suffix(".class") {
            // A jar for many releases, or one with jars of its own inside.
            let class = class.strip_prefix("BOOT-INF/classes/").unwrap_or(class);
            names.insert(class.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(arguments: &str) -> Option<Vec<PathBuf>> {
        let arguments: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
        places(&arguments)
    }

    #[test]
    fn class_paths_are_found_as_the_launcher_finds_them() {
        let paths = |texts: &[&str]| Some(texts.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(
            find("-Xmx1g -cp a.jar:b Main -cp x"),
            paths(&["a.jar", "b"])
        );
        assert_eq!(find("-cp x -jar app.jar"), paths(&["app.jar"]));
        assert_eq!(find("--add-opens a/b=c --class-path=q M"), paths(&["q"]));
        assert_eq!(find("-p mods -m a/b"), paths(&[".", "mods"]));
        assert_eq!(find("@arguments"), None);
        assert_eq!(find("Main.java"), None);
    }

    #[test]
    fn the_nearest_names_are_said() {
        let names = ["com/acme/Cart", "com/acme/Cart$Item", "com/acme/io/Reader"];
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            line("com.acme.Crat", &names),
            "no class on the class path matches 'com.acme.Crat'; the nearest: com.acme.Cart"
        );
        assert_eq!(
            line("Cart", &names),
            "no class on the class path matches 'Cart'; the nearest: com.acme.Cart"
        );
        assert_eq!(
            line("com.acme.oi.**", &names),
            "no class on the class path matches 'com.acme.oi.**'; the nearest: \
             com.acme.io.**, com.acme.**"
        );
        assert_eq!(
            line("zzz", &names),
            "no class on the class path matches 'zzz'"
        );
    }
}
