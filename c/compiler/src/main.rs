//! `reprise-cc`: what `reprise cut` has done by LLVM. Takes one request as JSON and
//! prints one answer.
//!
//! | question | file |
//! | --- | --- |
//! | what of LLVM's interface is used? | `ir.rs` |
//! | which functions allocate for others? | `allocators.rs` |
//! | which functions of the C library become the program's? | `library.rs` |
//! | what is said otherwise, before anything is read? | `lower.rs` |
//! | what does bitcode say? | `read.rs` |
//! | what is inserted to weigh, and what comes of it? | `weigh.rs`, `weights.rs` |
//! | what is inserted to record and replay? | `insert.rs` |

mod allocators;
mod insert;
mod ir;
mod library;
mod lower;
mod read;
mod weigh;
mod weights;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use reprise_c_analysis::annotations::Annotations;
use reprise_c_analysis::boundary::{self, Choice};
use reprise_c_analysis::model::Storage;
use reprise_c_analysis::{missed, points_to, target, threads, unknown};
use reprise_cc::kept::{Kept, Link};
use reprise_cc::link;
use reprise_cc::request::{Answer, Report, Request};
use reprise_cc::{PROTOCOL, PROTOCOL_QUESTION};

use crate::ir::Module;
use crate::read::Reading;
use crate::weights::Weights;

/// Variables whose address nobody has become values, before anything is looked at.
const PASSES: &str = "function(sroa,simplifycfg)";

/// A function that hands memory on becomes a part of its callers, so that each of them
/// has objects of its own.
const INLINING: &str = "always-inline,function(sroa,simplifycfg)";

/// How often, since such functions call each other.
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let request = std::env::args().nth(1).unwrap_or_default();
    if request == PROTOCOL_QUESTION {
        println!("{PROTOCOL}");
        return ExitCode::SUCCESS;
    }
    let answer = match serde_json::from_str::<Request>(&request) {
        Ok(request) => run(&request).unwrap_or_else(|wrong| wrong),
        Err(error) => failed(format!("the request is none: {error}")),
    };
    let is_failure = matches!(answer, Answer::Failed { .. });
    println!("{}", serde_json::to_string(&answer).unwrap_or_default());
    if is_failure {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "errors are handed over as they come"
)]
fn failed(wrong: impl ToString) -> Answer {
    Answer::Failed {
        wrong: wrong.to_string(),
        nearest: Vec::new(),
    }
}

fn run(request: &Request) -> Result<Answer, Answer> {
    match request {
        Request::Weigh {
            program,
            runtime,
            output,
            annotations,
        } => {
            let known = annotate(annotations)?;
            let (kept, link, module) = open(program, &known)?;
            let reading = read::read(&module, &known, None);
            let weights = std::path::absolute(&kept.weights).map_err(failed)?;
            weigh::insert(&module, &reading, &weights);
            build(&module, &link, runtime, output)?;
            Ok(Answer::Weighable)
        }
        Request::Cut {
            program,
            runtime,
            output,
            targets,
            choice,
            variables,
            annotations,
        } => {
            let started = Instant::now();
            let known = annotate(annotations)?;
            let (kept, link, module) = open(program, &known)?;
            let weights = weights(&kept, &module, &known)?;
            let mut reading = read::read(&module, &known, weights.as_ref());
            let read = started.elapsed();
            let mut report = cut(
                &module,
                &mut reading,
                targets,
                (*choice, *variables),
                |module, inserted| {
                    let Some(output) = output else { return Ok(()) };
                    let _ = inserted;
                    build(module, &link, runtime, output)
                },
            )?;
            report.weighed = weights.is_some();
            report.milliseconds[0] = read.as_millis() as u64;
            Ok(Answer::Cut(Box::new(report)))
        }
    }
}

fn open(program: &Path, known: &Annotations) -> Result<(Kept, Link, Module), Answer> {
    let kept = Kept::of(program);
    let link = kept.read(program).map_err(failed)?;
    let module = Module::read(&kept.bitcode).map_err(failed)?;
    unchanged(&kept, &module)?;
    let added = library::add(&module).map_err(failed)?;
    lower::lower(&module, known);
    let mut prepared = module.run(if added { INLINING } else { PASSES });
    for _ in 0..ROUNDS {
        if allocators::mark(&module, known) > 0 {
            prepared &= module.run(INLINING);
        }
    }
    if !prepared {
        return Err(failed("LLVM cannot prepare the bitcode"));
    }
    Ok((kept, link, module))
}

/// Nobody has changed a source since the program was built: lines would not be those of
/// the program. As `make` sees it, by the time of the change.
fn unchanged(kept: &Kept, module: &Module) -> Result<(), Answer> {
    let time = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let Some(built) = time(&kept.bitcode) else {
        return Ok(());
    };
    let functions = module.functions().into_iter();
    let sources: BTreeSet<PathBuf> = functions.filter_map(ir::Value::file).collect();
    let mut changed = sources.iter().filter(|path| time(path) > Some(built));
    match changed.next() {
        Some(path) => {
            let path = path.display();
            let wrong = format!("{path} has changed since the program was built: build it again");
            Err(failed(wrong))
        }
        None => Ok(()),
    }
}

fn annotate(files: &[PathBuf]) -> Result<Annotations, Answer> {
    let mut all = Annotations::shipped().map_err(failed)?;
    for file in files {
        let wrong = |error: &dyn std::fmt::Display| failed(format!("{}: {error}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
        all.add(&text).map_err(|error| wrong(&error))?;
    }
    Ok(all)
}

/// The counters of earlier runs, if there are any, and if they are of this build.
fn weights(kept: &Kept, module: &Module, known: &Annotations) -> Result<Option<Weights>, Answer> {
    let Ok(bytes) = fs::read(&kept.weights) else {
        return Ok(None);
    };
    let reading = read::read(module, known, None);
    let weights = Weights::read(&bytes, reading.signature(), reading.counters());
    let other = || {
        let file = kept.weights.display();
        failed(format!("{file} is of another build: weigh again"))
    };
    weights.ok_or_else(other).map(Some)
}

fn cut(
    module: &Module,
    reading: &mut Reading,
    patterns: &[String],
    (choice, variables): (Choice, bool),
    build: impl FnOnce(&Module, &insert::Inserted) -> Result<(), Answer>,
) -> Result<Report, Answer> {
    let program = &reading.program;
    let mut targets = Vec::new();
    for pattern in patterns {
        let found = target::find(program, pattern);
        if found.is_empty() {
            return Err(Answer::Failed {
                wrong: format!("no function is meant by {pattern}"),
                nearest: target::names(program),
            });
        }
        targets.extend(found);
    }
    targets.sort_unstable();
    targets.dedup();
    if choice == Choice::Whole && module.has_module_assembly() {
        return Err(failed("the program has assembly outside of functions"));
    }
    let started = Instant::now();
    let mut points_to = points_to::solve(program);
    let missed = missed::find(program, &points_to);
    if !missed.is_empty() {
        missed::learn(&mut reading.program, &missed);
        points_to = points_to::solve(&reading.program);
    }
    let (reading, program) = (&*reading, &reading.program);
    let solved = started.elapsed();
    let find = |choice| boundary::find(program, &points_to, &targets, choice);
    let started = Instant::now();
    let boundary = find(choice).map_err(failed)?;
    let found = started.elapsed();
    let size = |choice| {
        find(choice)
            .ok()
            .map(|other| (other.bytes(), other.events()))
    };
    let naive = (!targets.is_empty()).then(|| size(Choice::Naive)).flatten();
    let whole = size(Choice::Whole);
    let started = Instant::now();
    let names = (0..).zip(&program.functions).filter(|(_, one)| one.defined);
    let names: Vec<_> = names
        .map(|(index, one): (usize, _)| {
            (
                one.name.clone(),
                one.place.to_string(),
                boundary.functions[index],
            )
        })
        .collect();
    let threads = threads::coming_inside(program, &points_to, &boundary);
    let signals = threads::handlers_coming_inside(program, &points_to, &boundary);
    let (handlers, signals): (Vec<_>, Vec<_>) = signals.into_iter().unzip();
    let how = insert::How {
        threads: !threads.is_empty(),
        handlers,
        variables,
    };
    let inserted = insert::insert(module, reading, &points_to, &boundary, &how);
    module
        .verify()
        .map_err(|error| failed(format!("LLVM refuses what was made: {error}")))?;
    build(module, &inserted)?;
    // Neither functions nor what stands for memory of libraries is a variable.
    let objects = program.objects.iter().zip(&boundary.objects);
    let variables: Vec<bool> = objects
        .filter(|(object, _)| !matches!(object.storage, Storage::Unknown | Storage::Function(_)))
        .map(|(_, inside)| *inside)
        .collect();
    let inside = variables.iter().filter(|inside| **inside).count();
    Ok(Report {
        weighed: false,
        functions: names,
        objects: (inside, variables.len()),
        graph: (boundary.nodes, boundary.edges),
        signals,
        threads,
        unknown: unknown::find(program, &points_to),
        missed,
        looked_at: boundary.looked_at,
        flows: boundary.flows,
        naive,
        whole,
        checked: inserted.checked,
        milliseconds: [
            0,
            solved.as_millis() as u64,
            found.as_millis() as u64,
            started.elapsed().as_millis() as u64,
        ],
    })
}

fn build(module: &Module, link: &Link, runtime: &Path, output: &Path) -> Result<(), Answer> {
    module
        .verify()
        .map_err(|error| failed(format!("LLVM refuses what was made: {error}")))?;
    let mut bitcode = output.as_os_str().to_owned();
    bitcode.push(".reprise-cut.bc");
    let bitcode = PathBuf::from(bitcode);
    if !module.write(&bitcode) {
        return Err(failed(format!("{} cannot be written", bitcode.display())));
    }
    let runtime = std::path::absolute(runtime).map_err(failed)?;
    let built = link::build(link, &bitcode, &runtime, output);
    if std::env::var_os("REPRISE_KEEP_BITCODE").is_none() {
        let _ = fs::remove_file(&bitcode);
    }
    built.map_err(failed)
}
