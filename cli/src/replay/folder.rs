//! All recordings of a folder: each is played, and it is summed up how many went
//! as recorded and where the others did not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reprise_jvm_player::jar::Classes;
use reprise_jvm_player::{Divergence, Jvm, Plan, Played};
use reprise_recording::Recording;

use super::jvm::{self, KIND, NONE_REPLACED};
use super::{Request, failure};
use crate::failure::{Failure, Status};
use crate::readable::count;
use crate::say::say;

/// How many places of divergence are shown.
const PLACES: usize = 10;

/// A JVM of a release, which plays one recording after another.
struct Running {
    release: Option<u32>,
    plan: Plan,
    jvm: Jvm,
}

/// What became of the recordings.
#[derive(Default)]
struct Summary {
    same: usize,
    diverged: usize,
    failed: usize,
    untouched: usize,
    /// Where they diverged first, and how many did there.
    places: Vec<(String, usize)>,
}

/// Plays every recording of a folder in one JVM for each release, and sums up.
pub(super) fn replay(request: &Request) -> Result<Status, Failure> {
    if request.debug.is_some() || request.output.is_some() {
        let wrong = "a folder has no single replay to debug, and no output to keep";
        return Err(failure(request, wrong)
            .next("reprise replay --debug FILE")
            .status(Status::BadInput));
    }
    let paths = recordings(&request.path)
        .map_err(|error| failure(request, error).status(Status::BadInput))?;
    if paths.is_empty() {
        return Err(
            failure(request, "there is no recording in this folder").status(Status::BadInput)
        );
    }
    let classes = jvm::classes(request)?;
    let mut running = None;
    let mut summary = Summary::default();
    for path in &paths {
        let one = Request {
            path: path.clone(),
            output: None,
            classes: Vec::new(),
            debug: None,
            command: Vec::new(),
            program: Vec::new(),
            ..*request
        };
        match play(&one, &classes, &mut running) {
            Ok(played) => summary.add(path, &played, !request.classes.is_empty()),
            Err(error) => {
                summary.failed += 1;
                // Whatever happened, the next one gets a JVM that is sound.
                running = None;
                say(&format!("{}: {error}", path.display()));
            }
        }
    }
    summary.finish(request, paths.len())
}

/// The recordings in a folder, by name.
fn recordings(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_recording = |path: &PathBuf| path.extension().is_some_and(|end| end == "reprise");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_recording)
        .collect();
    paths.sort();
    Ok(paths)
}

fn play(
    request: &Request,
    classes: &Classes,
    running: &mut Option<Running>,
) -> Result<Played, String> {
    let recording = Recording::open(&request.path).map_err(|error| error.to_string())?;
    let kind = &recording.manifest().kind;
    if kind != KIND {
        return Err(format!("a recording of the kind {kind} is played alone"));
    }
    let release = jvm::recorded_release(&recording);
    let Running { plan, jvm, .. } = match running {
        Some(running) if running.release == release => running,
        _ => running.insert(Running {
            release,
            plan: jvm::plan(request, classes, release),
            jvm: jvm::start(request, &recording).map_err(|error| error.to_string())?,
        }),
    };
    jvm.play(&recording, plan)
        .map_err(|error| error.to_string())
}

impl Summary {
    fn add(&mut self, path: &Path, played: &Played, replaces: bool) {
        self.untouched += usize::from(replaces && played.replaced == 0);
        let Some(first) = played.divergences.first() else {
            self.same += 1;
            return;
        };
        self.diverged += 1;
        say(&format!("{}: {first}", path.display()));
        let place = place(first);
        match self.places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, many)) => *many += 1,
            None => self.places.push((place, 1)),
        }
    }

    fn finish(mut self, request: &Request, all: usize) -> Result<Status, Failure> {
        if !request.classes.is_empty() && self.untouched == all {
            return Err(failure(request, NONE_REPLACED).status(Status::BadInput));
        }
        self.places
            .sort_by_key(|(_, many)| std::cmp::Reverse(*many));
        for (place, many) in self.places.iter().take(PLACES) {
            say(&format!(
                "{} diverged first {place}",
                count(*many as u64, "recording")
            ));
        }
        if let Some(more @ 1..) = self.places.len().checked_sub(PLACES) {
            say(&format!("and at {}", count(more as u64, "other place")));
        }
        if self.untouched > 0 {
            let many = count(self.untouched as u64, "recording");
            say(&format!(
                "{many} had none of the classes that --classes names"
            ));
        }
        let Self {
            same,
            diverged,
            failed,
            ..
        } = self;
        let all = count(all as u64, "recording");
        say(&format!(
            "{all}: {same} as recorded, {diverged} diverged, {failed} could not be played"
        ));
        Ok(match (diverged, failed) {
            (0, 0) => Status::Done,
            (0, _) => Status::Failed,
            _ => Status::Diverged,
        })
    }
}

/// Where a divergence was, in words that are the same for all that were there.
fn place(divergence: &Divergence) -> String {
    match &divergence.location {
        Some(location) => location.to_string(),
        None => format!("when a method came back: expected {}", divergence.expected),
    }
}
