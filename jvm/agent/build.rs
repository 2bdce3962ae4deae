//! Builds the Java parts into the jars that the agent carries.

fn main() {
    let part = "the runtime that the JVM agent carries";
    reprise_javac::build_script(part, "../runtime/reprise/runtime", "runtime.jar");
    let part = "the scheduler that the JVM agent carries";
    reprise_javac::build_script(part, "../scheduler/reprise/scheduler", "scheduler.jar");
}
