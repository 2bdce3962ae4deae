//! A small program, recorded, and its classes gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) const CART: &str = r#"
import java.util.ArrayList;
import java.util.List;

public class Main {
    public static void main(String[] args) {
        Cart cart = new Cart();
        cart.add("tea", 3);
        cart.add("milk", 2);
        System.out.println(cart.total(1));
    }
}

class Cart {
    private final List<String> names = new ArrayList<>();
    private int total;

    void add(String name, int price) {
        names.add(name);
        total += price;
    }

    int total(int discount) {
        return total - discount;
    }
}
"#;

/// A folder with what was recorded.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) file: PathBuf,
}

/// The JDK's program of that name.
pub(crate) fn jdk(name: &str) -> PathBuf {
    let java = reprise_jvm_player::java::found();
    let java = java.first().expect("these tests need a JDK");
    java.program.with_file_name(name)
}

/// Compiles a program into a folder.
pub(crate) fn compile(program: &str, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let source = folder.join("Main.java");
    fs::write(&source, program).unwrap();
    let output = Command::new(jdk("javac"))
        .args(["-encoding", "UTF-8", "-g", "-d"])
        .arg(folder)
        .arg(&source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Packs a folder of classes into a jar.
pub(crate) fn pack(classes: &Path, jar: &Path) {
    let output = Command::new(jdk("jar"))
        .arg("cf")
        .arg(jar)
        .arg("-C")
        .arg(classes)
        .arg(".")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

impl Stage {
    /// A folder with nothing in it.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        Self { folder, file }
    }

    /// Compiles a program that needs more than the JDK into `classes`.
    pub(crate) fn compile_with(&self, program: &str, class_path: &str) {
        let source = self.folder.path().join("Main.java");
        fs::write(&source, program).unwrap();
        let classes = self.folder.path().join("classes");
        reprise_jvm_testing::compile(&[source], &classes, class_path);
    }

    /// Records `Main NAME` into `NAME.reprise`.
    pub(crate) fn record_run(&self, observe: &str, class_path: &str, name: &str) {
        let library = reprise_jvm_testing::agent_library();
        let library = library.display();
        let agent = format!("-agentpath:{library}=observe={observe},out={name}.reprise");
        let output = Command::new(jdk("java"))
            .args([&agent, "-cp", class_path, "Main", name])
            .current_dir(self.folder.path())
            .env_remove("JAVA_TOOL_OPTIONS")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    pub(crate) fn record(program: &str, observe: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("classes");
        compile(program, &classes);
        let file = folder.path().join("x.reprise");
        // Cargo puts the library beside this test's own executable.
        let library = std::env::current_exe()
            .unwrap()
            .with_file_name("libreprise_jvm.so");
        let agent = format!(
            "-agentpath:{}=observe={observe},out={}",
            library.display(),
            file.display()
        );
        let output = Command::new(jdk("java"))
            .args([&agent, "-cp"])
            .arg(&classes)
            .arg("Main")
            .env_remove("JAVA_TOOL_OPTIONS")
            .output()
            .unwrap();
        assert!(file.is_file(), "{output:?}");
        fs::remove_dir_all(classes).unwrap();
        Self { folder, file }
    }

    /// `reprise replay` with these arguments.
    pub(crate) fn replay(&self, arguments: &[&str]) -> Output {
        reprise()
            .arg("replay")
            .args(arguments)
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }
}

/// The command itself.
pub(crate) fn reprise() -> Command {
    Command::new(env!("CARGO_BIN_EXE_reprise"))
}

/// The exit status and the lines on the standard error.
pub(crate) fn said(output: &Output) -> (Option<i32>, Vec<String>) {
    let lines = String::from_utf8_lossy(&output.stderr);
    let lines = lines.lines().map(str::to_owned).collect();
    (output.status.code(), lines)
}
