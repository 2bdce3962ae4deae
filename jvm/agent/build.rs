//! Builds the Java runtime into the jar that the agent carries.

fn main() {
    let part = "the runtime that the JVM agent carries";
    reprise_javac::build_script(part, "../runtime/reprise/runtime", "runtime.jar");
}
