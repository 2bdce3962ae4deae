//! `reprise java instrument`, as a user meets it.

use std::fs;

use crate::program::{Program, REPRISE, stderr, stdout};

#[test]
fn a_jar_that_was_instrumented_records_by_itself() {
    let program = Program::new();
    let classes = ["cf", "in.jar", "Main.class", "Cart.class", "Prices.class"];
    assert!(program.run("jar", &classes).status.success());
    let run = |arguments: &[&str]| {
        let output = program.run(REPRISE, &[&["java", "instrument"], arguments].concat());
        (output.status.code(), stderr(&output))
    };
    let (status, said) = run(&["--observe", "Crat", "in.jar", "-o", "out.jar"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("none of its 3 classes matches"), "{said}");
    assert!(said.contains("the nearest: Cart"), "{said}");
    let (status, said) = run(&["--observe", "Cart", "in.jar", "-o", "out.jar"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.starts_with("reprise: instrumented 1 of 3 class files into out.jar"),
        "{said}"
    );
    let (status, said) = run(&["--observe", "Cart", "in.jar", "-o", "out.jar"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cannot write out.jar: it exists"), "{said}");
    let (status, said) = run(&["--observe", "Cart", "none.jar", "-o", "new.jar"]);
    assert_eq!(status, Some(2), "{said}");
    for class in &classes[2..] {
        fs::remove_file(program.path(class)).unwrap();
    }
    let mut plain = program.command("java");
    let output = plain
        .args(["-cp", "out.jar", "Main"])
        .env("REPRISE_OUT", "x.reprise")
        .output()
        .unwrap();
    assert_eq!(
        (stdout(&output), stderr(&output)),
        ("12\n".to_owned(), String::new())
    );
    for jar in ["in.jar", "out.jar"] {
        fs::remove_file(program.path(jar)).unwrap();
    }
    let output = program.run(REPRISE, &["replay", "x.reprise"]);
    let said = stderr(&output);
    assert!(said.ends_with("everything is as recorded\n"), "{said}");
}
