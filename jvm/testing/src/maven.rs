//! Jars from Maven Central, through Maven itself, which knows how it is reached.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/// The jars with these coordinates (`group:artifact:version`) and no others that
/// they depend on, kept in `folder`, which is cargo's folder for the files of
/// tests. Where they cannot be had it says so, as the reason why a test is
/// skipped.
pub fn jars(folder: &str, coordinates: &[&str]) -> Option<Vec<PathBuf>> {
    let folder = Path::new(folder).join("jars");
    fs::create_dir_all(&folder).unwrap();
    let jar = |coordinates: &&str| folder.join(file_name(coordinates));
    // Tests run side by side, and Maven does not expect another at its files.
    let lock = File::create(folder.join("lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let missing: Vec<&str> = coordinates
        .iter()
        .copied()
        .filter(|coordinates| !jar(coordinates).is_file())
        .collect();
    if !missing.is_empty()
        && let Err(why) = fetch(&folder, &missing)
    {
        println!("SKIPPED: cannot fetch {}: {why}", missing.join(", "));
        return None;
    }
    Some(coordinates.iter().map(jar).collect())
}

/// The one jar with these coordinates, as [`jars`].
pub fn jar(folder: &str, coordinates: &str) -> Option<PathBuf> {
    jars(folder, &[coordinates])?.pop()
}

fn fetch(folder: &Path, coordinates: &[&str]) -> Result<(), String> {
    // Maven copies in place: half a jar must not be taken for a whole one.
    let part = folder.join("part");
    let _ = fs::remove_dir_all(&part);
    fs::create_dir(&part).map_err(|error| format!("{}: {error}", part.display()))?;
    fs::write(part.join("pom.xml"), pom(coordinates)).map_err(|error| error.to_string())?;
    let output = Command::new("mvn")
        .args(["-B", "-q", COPY, "-DexcludeTransitive=true"])
        .arg("-DoutputDirectory=.")
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(&part)
        .output()
        .map_err(|error| format!("mvn cannot be run ({error}); Debian's package is maven"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let error = said.lines().find(|line| line.contains("ERROR"));
        return Err(error.unwrap_or("mvn failed").to_owned());
    }
    for coordinates in coordinates {
        let name = file_name(coordinates);
        fs::rename(part.join(&name), folder.join(&name))
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// A project that has no code and depends on these jars.
fn pom(coordinates: &[&str]) -> String {
    let mut dependencies = String::new();
    for coordinates in coordinates {
        let [group, artifact, version] = parts(coordinates);
        let _ = write!(
            dependencies,
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version></dependency>"
        );
    }
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>reprise</groupId>\
         <artifactId>jars</artifactId><version>1</version>\
         <dependencies>{dependencies}</dependencies></project>"
    )
}

/// What a repository calls the jar.
fn file_name(coordinates: &str) -> String {
    let [_, artifact, version] = parts(coordinates);
    format!("{artifact}-{version}.jar")
}

fn parts(coordinates: &str) -> [&str; 3] {
    let parts: Vec<&str> = coordinates.split(':').collect();
    let Ok(parts) = parts.try_into() else {
        panic!("{coordinates} is not group:artifact:version");
    };
    parts
}
