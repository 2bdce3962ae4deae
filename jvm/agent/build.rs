//! Builds the Java parts into the jars that the agent carries.

fn main() {
    let part = "the runtime that the JVM agent carries";
    let sources = ["../runtime/reprise/runtime"];
    // A class is looked for through the loader of whoever names it, and there are
    // loaders that have only what is theirs. What is in java.* they all ask for.
    let packages = ["reprise.runtime", "java.reprise"];
    reprise_javac::build_script_of(part, &sources, None, packages, "runtime.jar");
    let part = "the scheduler that the JVM agent carries";
    let sources = ["../scheduler/reprise/scheduler"];
    let packages = ["reprise.scheduler", "java.reprise.scheduler"];
    reprise_javac::build_script_of(part, &sources, None, packages, "scheduler.jar");
}
