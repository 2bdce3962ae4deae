//! Classes that somebody changes while they run: an agent, a debugger, a library for tests.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support;

const PROGRAM: &str = r#"
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
    static Instrumentation agent;

    public static void premain(String arguments, Instrumentation agent) {
        Main.agent = agent;
    }

    public static void main(String[] args) throws Exception {
        Inside first = new Inside();
        Outside outside = new Outside();
        System.out.println(first.answers(1) + " " + outside.answers(first));
        if (args[0].equals("redefine")) {
            for (Class<?> one : new Class<?>[] {Inside.class, Outside.class}) {
                byte[] bytes = Files.readAllBytes(Path.of("new", one.getName() + ".class"));
                agent.redefineClasses(new ClassDefinition(one, bytes));
            }
        } else {
            agent.retransformClasses(Inside.class, Outside.class);
        }
        System.out.println(first.answers(1) + " " + outside.answers(first));
        System.out.println(new Inside().answers(2) + " " + new Outside().answers(first));
    }
}"#;

/// The classes as they are loaded, and as they are after; a number and a call differ.
fn classes(number: u32, call: &str) -> String {
    format!(
        "class Inside {{
             int count;
             int answers(int i) {{ count += i; return {call}(count, {number}); }}
         }}
         class Outside {{
             int answers(Inside inside) {{ inside.count++; return {number}; }}
         }}"
    )
}

/// A program that may change its classes, compiled.
fn prepared(dir: &Path) {
    fs::create_dir_all(dir.join("new")).unwrap();
    fs::write(dir.join("Main.java"), PROGRAM).unwrap();
    fs::write(dir.join("Classes.java"), classes(10, "Math.addExact")).unwrap();
    let after = classes(20, "Integer.sum");
    fs::write(dir.join("new/Classes.java"), after).unwrap();
    fs::write(
        dir.join("manifest"),
        "Premain-Class: Main\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n",
    )
    .unwrap();
    let steps: [(&str, &[&str]); 3] = [
        ("javac", &["-d", ".", "Main.java", "Classes.java"]),
        ("javac", &["-d", "new", "new/Classes.java"]),
        ("jar", &["cfm", "agent.jar", "manifest", "Main.class"]),
    ];
    for (tool, arguments) in steps {
        let done = Command::new(support::jdks()[0].with_file_name(tool))
            .args(arguments)
            .current_dir(dir)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

#[test]
fn classes_can_be_changed_and_are_named() {
    let dir = tempfile::tempdir().unwrap();
    prepared(dir.path());
    for java in support::jdks() {
        for (how, last) in [("redefine", "22 20"), ("retransform", "12 10")] {
            let program = ["-javaagent:agent.jar", "-cp", ".", "Main", how];
            let plain = support::said(&support::java(&java, dir.path(), &program));
            assert_eq!(plain.0.lines().last(), Some(last), "{plain:?}");
            let agent = support::agent("observe=Inside,out=x.reprise");
            let recorded: Vec<&str> = [agent.as_str()].into_iter().chain(program).collect();
            let output = support::java(&java, dir.path(), &recorded);
            assert_eq!(support::said(&output), plain, "{how} on {}", java.display());
            let path = dir.path().join("x.reprise");
            let recorded = support::read(&path);
            let lacks = recorded.closing.unwrap().not_recorded;
            assert_eq!(lacks.len(), 1, "{lacks:?}");
            assert_eq!(lacks[0].what, "Inside");
            assert!(lacks[0].why.contains("changed while the program ran"));
            let (_, lines) = &recorded.threads[0];
            let calls = lines
                .iter()
                .filter(|line| line.starts_with("INCALL Inside.answers"));
            assert_eq!(calls.count(), 3, "{lines:?}");
            fs::remove_file(path).unwrap();
        }
    }
}
