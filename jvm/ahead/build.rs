//! Builds the Java runtime that records with no agent.

fn main() {
    let part = "the runtime of jars that are instrumented ahead of time";
    let sources = ["../runtime/reprise/runtime", "../runtime/alone"];
    // Its own class of that name takes the place of the JDK's.
    let without = Some("import jdk.internal.misc.Unsafe;");
    // The agent's runtime would take the place of one in the same package.
    let packages = ["reprise.runtime", "reprise.ahead"];
    reprise_javac::build_script_of(part, &sources, without, packages, "alone.jar");
}
