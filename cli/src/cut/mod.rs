//! `reprise cc` and `reprise cut`: what is asked of the part that has LLVM, which is
//! a program of its own, and what its answers look like to a person.

mod picture;
mod report;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reprise_c_analysis::boundary::Choice;
use reprise_cc::kept::Kept;
use reprise_cc::request::{self, Answer};
use reprise_cc::{COMPILER, PACKAGES, PROTOCOL, PROTOCOL_QUESTION, wrapper};

use crate::doctor::finding::{Finding, State};
use crate::doctor::programs;
use crate::failure::{Failure, Status};
use crate::record::observe::{child, not_started};
use crate::say::say;

/// The program that has LLVM.
const PROGRAM: &str = "reprise-cc";

/// What is linked into programs that are cut.
const RUNTIME: &str = "libreprise_c.a";

/// How both are made.
const BUILD: &str = "cargo build -p reprise-cc --features llvm -p reprise-c-runtime";

/// What `reprise cut` was told.
#[derive(Debug)]
pub struct Request {
    /// The program.
    pub program: PathBuf,
    /// The functions that have to be inside.
    pub targets: Vec<String>,
    /// How the boundary is chosen.
    pub choice: Choice,
    /// Where the program that can be recorded goes.
    pub output: Option<PathBuf>,
    /// A function that somebody wants to know about.
    pub explain: Option<String>,
    /// Debuggers are to find variables.
    pub variables: bool,
    /// Files with annotations.
    pub annotations: Vec<PathBuf>,
    /// Where a picture of the boundary goes.
    pub picture: Option<PathBuf>,
    /// The answer is for a program.
    pub json: bool,
}

/// Runs the compiler.
pub fn compile(arguments: &[OsString]) -> Result<Status, Failure> {
    let status = wrapper::run(arguments)
        .map_err(|error| Failure::new(format!("run {COMPILER}"), error).next(install()))?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    let code = code.and_then(|code| u8::try_from(code).ok());
    Ok(Status::Subject(code.unwrap_or(1)))
}

fn install() -> String {
    format!("sudo apt install {PACKAGES}")
}

/// Builds a program that counts, and runs a command with it.
pub fn weigh(
    program: &Path,
    annotations: &[PathBuf],
    command: &[OsString],
) -> Result<Status, Failure> {
    let doing = format!("weigh {}", program.display());
    let meant = program
        .canonicalize()
        .map_err(|error| Failure::new(doing.clone(), error).status(Status::BadInput))?;
    let is_meant = |word: &OsString| {
        let runs = Path::new(word).canonicalize();
        runs.is_ok_and(|runs| runs == meant)
    };
    if !command.first().is_some_and(is_meant) {
        let wrong = "the command does not run this program itself";
        let program = program.display();
        return Err(Failure::new(doing, wrong)
            .next(format!("reprise cut {program} --weigh -- {program} …"))
            .status(Status::BadInput));
    }
    let folder = tempfile::Builder::new().prefix("reprise-weigh-").tempdir();
    let folder = folder.map_err(|error| Failure::new(doing.clone(), error))?;
    // What the program is called may matter to it.
    let output = folder.path().join(program.file_name().unwrap_or_default());
    needs_compiler(&doing)?;
    let question = request::Request::Weigh {
        program: program.to_owned(),
        runtime: find(RUNTIME, &doing)?,
        output: output.clone(),
        annotations: annotations.to_vec(),
    };
    ask(&doing, &question)?;
    let mut run = Command::new(&output);
    run.args(&command[1..]);
    let name = output.as_os_str();
    let ended = child::run(&mut run).map_err(|error| not_started(name, error))?;
    let weights = Kept::of(program).weights;
    match weights.exists() {
        true => say(&format!("weighed into {}", weights.display())),
        false => say("nothing was weighed: the command did not come to its end"),
    }
    Ok(Status::Subject(ended))
}

/// Computes a boundary, builds the program if that is wanted, and says what was decided.
pub fn cut(request: &Request) -> Result<Status, Failure> {
    let doing = format!("cut {}", request.program.display());
    needs_compiler(&doing)?;
    let question = request::Request::Cut {
        program: request.program.clone(),
        runtime: find(RUNTIME, &doing)?,
        output: request.output.clone(),
        targets: request.targets.clone(),
        choice: request.choice,
        variables: request.variables,
        annotations: request.annotations.clone(),
    };
    match ask(&doing, &question)? {
        Answer::Cut(answer) => {
            if let Some(path) = &request.picture {
                let name = request.program.file_name().unwrap_or_default();
                let picture = picture::draw(&name.to_string_lossy(), &answer);
                fs::write(path, picture)
                    .map_err(|error| Failure::new(format!("write {}", path.display()), error))?;
            }
            report::print(request, &answer)
        }
        _ => Err(Failure::new(
            doing,
            "reprise-cc has answered something else",
        )),
    }
}

/// A file of this program: beside it, or where packages put it.
fn find(name: &str, doing: &str) -> Result<PathBuf, Failure> {
    let program = env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("/"));
    find_in(folder, name).ok_or_else(|| {
        let folder = folder.display();
        let wrong = format!("{name} is neither in {folder} nor in {folder}/../lib/reprise");
        let failure = Failure::new(doing, wrong);
        failure
            .next(format!("sudo apt install llvm-19-dev {PACKAGES}"))
            .next(BUILD)
    })
}

fn find_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let candidates = [
        folder.join(name),
        folder.join("../lib/reprise").join(name),
        // Cargo has tests in a folder below.
        folder.join("..").join(name),
    ];
    candidates.into_iter().find(|path| path.is_file())
}

/// Whether programs can be cut here: the compiler, and everything of this program.
pub fn is_possible() -> bool {
    programs::find(COMPILER).is_some() && probe().state == State::Works
}

/// Looks for the parts of this program that cutting takes, and asks the one that has LLVM.
pub fn probe() -> Finding {
    match find(RUNTIME, "").and_then(|_| part("")) {
        Ok(_) => Finding::works(format!("{PROGRAM} answers, {RUNTIME} is there")),
        Err(failure) => failure.into_finding(),
    }
}

/// The program that has LLVM, which has to be of the same version.
fn part(doing: &str) -> Result<PathBuf, Failure> {
    let program = find(PROGRAM, doing)?;
    let output = Command::new(&program)
        .arg(PROTOCOL_QUESTION)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::new(doing, format!("{}: {error}", program.display())))?;
    if output.stdout.trim_ascii() == PROTOCOL.to_string().as_bytes() {
        return Ok(program);
    }
    if output.status.code() != Some(0) && output.stdout.is_empty() {
        // Without LLVM's library it does not even begin.
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("nothing");
        return Err(Failure::new(doing, format!("{PROGRAM} says: {first}")).next(install()));
    }
    let wrong = format!("{} is of another version of reprise", program.display());
    Err(Failure::new(doing, wrong).next(BUILD))
}

fn needs_compiler(doing: &str) -> Result<(), Failure> {
    match programs::find(COMPILER) {
        Some(_) => Ok(()),
        None => Err(Failure::new(doing, format!("{COMPILER} is not installed")).next(install())),
    }
}

fn ask(doing: &str, question: &request::Request) -> Result<Answer, Failure> {
    let program = part(doing)?;
    let text = serde_json::to_string(question).map_err(|error| Failure::new(doing, error))?;
    let output = Command::new(&program)
        .arg(text)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::new(doing, format!("{}: {error}", program.display())))?;
    match serde_json::from_slice(&output.stdout) {
        Ok(Answer::Failed { wrong, nearest }) => {
            let mut failure = Failure::new(doing, wrong).status(Status::BadInput);
            for name in report::nearest(question, nearest) {
                failure = failure.next(format!("--target {name}"));
            }
            Err(failure)
        }
        Ok(answer) => Ok(answer),
        Err(_) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().next().unwrap_or("nothing");
            Err(Failure::new(doing, format!("{PROGRAM} says: {first}")).next(install()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_beside_the_program_or_where_packages_put_them() {
        let folder = tempfile::tempdir().unwrap();
        let (bin, lib) = (folder.path().join("bin"), folder.path().join("lib/reprise"));
        for one in [&bin, &lib] {
            fs::create_dir_all(one).unwrap();
        }
        assert_eq!(find_in(&bin, RUNTIME), None);
        fs::write(lib.join(RUNTIME), "").unwrap();
        let found = find_in(&bin, RUNTIME).unwrap();
        assert_eq!(
            found.canonicalize().unwrap(),
            lib.join(RUNTIME).canonicalize().unwrap()
        );
        fs::write(bin.join(RUNTIME), "").unwrap();
        assert_eq!(find_in(&bin, RUNTIME), Some(bin.join(RUNTIME)));
    }
}
