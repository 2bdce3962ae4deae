//! A program of two named modules, with classes of both inside: what one exports,
//! opens and keeps to itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support;

const SOURCES: &[(&str, &str)] = &[
    (
        "app/module-info.java",
        "module app { requires lib; exports app.api to lib; opens app.open; uses lib.api.Shape; }",
    ),
    (
        "app/app/Main.java",
        r#"package app;
           import app.api.Listener;
           import lib.api.Shape;
           import java.util.ServiceLoader;
           public class Main {
               public static void main(String[] args) throws Exception {
                   Listener listener = new Listener();
                   Shape shape = Shape.of(3, listener);
                   System.out.println(shape.area() + " " + listener.heard() + shape);
                   for (Shape found : ServiceLoader.load(Shape.class)) {
                       System.out.println(found.area() + found.getClass().getModule().getName());
                   }
                   System.out.println(listener.tries("lib.hidden.Square") + listener.opens());
                   System.out.println(lib.api.Reader.read(new app.open.Config()));
               }
           }"#,
    ),
    (
        "app/app/api/Listener.java",
        r#"package app.api;
           import lib.api.Shape;
           public class Listener implements Shape.Watcher {
               private int heard;
               public void made(Shape shape) { heard += shape.area(); }
               public int heard() { return heard; }
               public String tries(String name) throws Exception {
                   Class<?> hidden = Class.forName(name);
                   try {
                       return "made " + hidden.getConstructor(int.class).newInstance(2);
                   } catch (IllegalAccessException e) {
                       return "not exported ";
                   }
               }
               public boolean opens() {
                   Module own = Listener.class.getModule();
                   Module other = Shape.class.getModule();
                   return own.isOpen("app.open", other) && !own.isOpen("app.api", other)
                       && own.canRead(other) && !other.canRead(own);
               }
           }"#,
    ),
    (
        "app/app/open/Config.java",
        "package app.open; public class Config { private int limit = 7; }",
    ),
    (
        "lib/module-info.java",
        "module lib { exports lib.api; provides lib.api.Shape with lib.hidden.Square; }",
    ),
    (
        "lib/lib/api/Shape.java",
        r#"package lib.api;
           import lib.hidden.Square;
           public interface Shape {
               interface Watcher { void made(Shape shape); }
               int area();
               static Shape of(int size, Watcher watcher) {
                   Shape made = new Square(size);
                   watcher.made(made);
                   return made;
               }
           }"#,
    ),
    (
        "lib/lib/api/Reader.java",
        r#"package lib.api;
           import java.lang.reflect.Field;
           public class Reader {
               public static int read(Object config) throws Exception {
                   Field limit = config.getClass().getDeclaredField("limit");
                   limit.setAccessible(true);
                   return limit.getInt(config);
               }
           }"#,
    ),
    (
        "lib/lib/hidden/Square.java",
        r#"package lib.hidden;
           public class Square implements lib.api.Shape {
               private final int size;
               public Square() { this(1); }
               public Square(int size) { this.size = size; }
               public int area() { return size * size; }
               public String toString() { return " square of " + size; }
           }"#,
    ),
];

const RUN: &[&str] = &["-p", "mods", "-m", "app/app.Main"];

fn compile(folder: &Path) {
    for (name, text) in SOURCES {
        let file = folder.join("src").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let compiled = Command::new(support::jdks()[0].with_file_name("javac"))
        .args(["-encoding", "UTF-8", "--module-source-path", "src"])
        .args(["-d", "mods", "-m", "app,lib"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
}

#[test]
fn classes_of_two_named_modules_are_played() {
    for java in support::jdks() {
        let folder = tempfile::tempdir().unwrap();
        compile(folder.path());
        let plain = Command::new(&java)
            .args(RUN)
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(plain.status.success(), "{plain:?}");
        let mut jvm = support::jvm(&java);
        for observe in [
            "app.api.**:lib.hidden.**",
            "lib.**",
            "app.**",
            "app.open.Config:lib.api.Reader",
        ] {
            let options = format!("observe={observe}");
            let (file, stdout) = support::record(&java, folder.path(), &options, RUN);
            assert_eq!(stdout, plain.stdout, "{observe}");
            let kept = folder.path().join("kept.reprise");
            fs::rename(file, &kept).unwrap();
            let mods = folder.path().join("mods");
            let away = folder.path().join("away");
            fs::rename(&mods, &away).unwrap();
            let played = support::play(&mut jvm, &kept).unwrap();
            let name = format!("{observe} on {}", java.display());
            assert_eq!(played.divergences, [], "{name}");
            assert!(played.events > 0, "{name}");
            fs::rename(&away, &mods).unwrap();
        }
    }
}
