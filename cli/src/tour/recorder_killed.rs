//! The recorder is killed: the program goes on, and the next command completes
//! the recording.

use reprise_recording::spool::spool_path;

use super::stage::{Stage, wrong};
use super::subject_killed::{KILLED_AFTER, events};
use super::{Role, ledger, recorder};
use crate::failure::Failure;

const FILE: &str = "orphan.reprise";

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    stage.say(
        "The same bank again. This time SIGKILL hits the recorder, and nobody is left to write \
         down what the bank does. The bank does not notice.",
    )?;
    let file = stage.file(FILE);
    let mut recorder = stage.start(Role::Recorder, recorder::FILE, &file)?;
    if recorder.line().as_deref() != Some(recorder::READY) {
        return Err(recorder.wrong("its recorder did not start"));
    }
    let mut bank = stage.start(Role::Ledger, ledger::SPOOL, &spool_path(&file))?;
    let mut reported = 0;
    while bank.line().is_some() {
        reported += 1;
        if reported == KILLED_AFTER {
            recorder.kill();
            recorder.wait();
        }
    }
    let ended_well = bank.wait().is_some_and(|status| status.success());
    if !ended_well || reported != ledger::TRANSFERS {
        return Err(bank.wrong(&format!(
            "without its recorder the program ended after {reported} of {} transfers",
            ledger::TRANSFERS
        )));
    }
    let written = events(&file)?;
    stage.say(&format!(
        "The recorder died after {KILLED_AFTER} transfers, with {written} of them in the file. \
         The bank made all {reported} and ended well. What is missing in the file waits in its \
         spool; the next command that reads the recording fetches it."
    ))?;
    stage.show(&[FILE, "--limit", "3"])?;
    let recorded = events(&file)?;
    if recorded != reported {
        return Err(wrong(&format!(
            "{reported} transfers were made, and {recorded} were recorded"
        )));
    }
    stage.say(&format!(
        "All {recorded} transfers are there, also those that were made after the recorder's death."
    ))
}
