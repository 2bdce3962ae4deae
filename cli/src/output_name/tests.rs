//! Tests of names and their reservation.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use tempfile::tempdir;

use super::*;

fn values(program: &str) -> Values<'_> {
    Values {
        program: OsStr::new(program),
        pid: 4711,
        time: "2026-11-15T04:15:00+01:00".parse().unwrap(),
    }
}

fn filled(template: &str, program: &str) -> String {
    let template = Template::parse(OsStr::new(template)).unwrap();
    let path = template.fill_in(&values(program));
    path.into_os_string().into_string().unwrap()
}

#[test]
fn placeholders_are_filled_in() {
    assert_eq!(filled("x.reprise", "gzip"), "x.reprise");
    assert_eq!(
        filled("d/%e.%p.%t.reprise", "/usr/bin/gzip"),
        "d/gzip.4711.20261115T031500Z.reprise"
    );
    assert_eq!(filled("100%%-%p", "gzip"), "100%-4711");
    assert_eq!(filled("%%e", "gzip"), "%e");
}

#[test]
fn the_default_is_what_it_says() {
    assert_eq!(
        Template::parse(OsStr::new(DEFAULT)),
        Ok(Template::default())
    );
}

#[test]
fn a_mistake_in_a_template_is_named() {
    let error = |text: &[u8]| Template::parse(OsStr::from_bytes(text)).unwrap_err();
    assert_eq!(error(b"a%x"), TemplateError::Unknown('x'));
    assert_eq!(error("%ä".as_bytes()), TemplateError::Unknown('ä'));
    assert_eq!(
        error(b"%\xff"),
        TemplateError::Unknown(char::REPLACEMENT_CHARACTER)
    );
    assert_eq!(error(b"a%"), TemplateError::Unfinished);
    assert_eq!(error(b"%%%"), TemplateError::Unfinished);
    assert_eq!(error(b""), TemplateError::Empty);
    assert!(error(b"%x").to_string().contains("placeholder %x;"));
}

#[test]
fn a_program_cannot_choose_the_folder_or_hide_the_file() {
    for (program, expected) in [
        ("/opt/a/b", "b"),
        ("../..", "program"),
        ("/", "program"),
        ("", "program"),
        (".hidden", "_hidden"),
        ("-rf", "_rf"),
        ("a\x1b[2J\nb", "a_[2J_b"),
        ("\u{85}x", "_x"),
    ] {
        assert_eq!(filled("%e", program), expected, "{program:?}");
    }
    assert_eq!(filled("%e", &"ä".repeat(300)), "ä".repeat(50));
    assert_eq!(filled("%e", &format!("a{}", "ä".repeat(300))).len(), 99);
}

#[test]
fn a_taken_name_is_numbered_before_its_extension() {
    let dir = tempdir().unwrap();
    let template = dir.path().join("%e.reprise");
    let template = Template::parse(template.as_os_str()).unwrap();
    let names: Vec<PathBuf> = (0..3)
        .map(|_| template.reserve(&values("bc")).unwrap().0)
        .collect();
    let expected = ["bc.reprise", "bc-2.reprise", "bc-3.reprise"];
    assert_eq!(names, expected.map(|name| dir.path().join(name)));
}

#[test]
fn a_literal_name_is_never_written_over() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("evidence.reprise");
    fs::write(&path, "evidence").unwrap();
    let template = Template::parse(path.as_os_str()).unwrap();
    let error = template.reserve(&values("bc")).unwrap_err();
    assert!(matches!(error, ReserveError::Exists(taken) if taken == path));
    assert_eq!(fs::read(&path).unwrap(), b"evidence");
}

#[test]
fn a_dangling_link_is_not_followed() {
    let dir = tempdir().unwrap();
    let link = dir.path().join("x.reprise");
    let target = dir.path().join("target");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let template = Template::parse(link.as_os_str()).unwrap();
    assert!(template.reserve(&values("bc")).is_err());
    assert!(!target.exists());
}

#[test]
fn only_the_owner_can_read_a_recording() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("x.reprise");
    let template = Template::parse(path.as_os_str()).unwrap();
    let (_, file) = template.reserve(&values("bc")).unwrap();
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn recorders_that_choose_at_once_choose_different_names() {
    let dir = tempdir().unwrap();
    let template = dir.path().join("%e.reprise");
    let template = Template::parse(template.as_os_str()).unwrap();
    let mut names: Vec<PathBuf> = std::thread::scope(|scope| {
        let choose = || template.reserve(&values("bc")).unwrap().0;
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(move || (0..20).map(|_| choose()).collect::<Vec<_>>()))
            .collect();
        let chosen = threads.into_iter().map(|thread| thread.join().unwrap());
        chosen.flatten().collect()
    });
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 160);
}

#[test]
fn a_missing_folder_is_an_error_that_names_the_file() {
    let template = Template::parse(OsStr::new("/no/such/folder/%p.reprise")).unwrap();
    let error = template.reserve(&values("bc")).unwrap_err().to_string();
    assert!(
        error.starts_with("/no/such/folder/4711.reprise: "),
        "{error}"
    );
}

#[test]
fn the_latest_recording_is_the_newest_with_content() {
    let dir = tempdir().unwrap();
    let none = latest_recording(dir.path()).unwrap_err();
    assert!(none.to_string().starts_with("there is no *.reprise file"));

    let now = SystemTime::now();
    for (name, content, age) in [
        ("old.reprise", "x", 30),
        ("new.reprise", "x", 20),
        ("reserved.reprise", "", 10),
        ("other.txt", "x", 0),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    fs::create_dir(dir.path().join("folder.reprise")).unwrap();
    assert_eq!(
        latest_recording(dir.path()).unwrap(),
        dir.path().join("new.reprise")
    );
}
