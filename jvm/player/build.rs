//! Builds the Java part of the player into the jar that the player carries.

fn main() {
    let part = "a part of the player";
    reprise_javac::build_script(part, "java/reprise/player", "player.jar");
}
