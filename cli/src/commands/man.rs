//! `reprise man`: the man pages, made from the argument definitions.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man as Page;

use crate::failure::{Failure, Status};

/// Print a man page, or write all of them into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise man | man -l -            read the page of the program
  reprise man doctor | man -l -     read the page of a command
  reprise man --dir ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Print the page of this command instead of the program's.
    #[arg(conflicts_with = "dir")]
    command: Option<String>,

    /// Write one page for the program and one for each command into DIR, which
    /// is created when it does not exist.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let pages = pages()?;
        if let Some(dir) = self.dir {
            let folder = dir.display();
            fs::create_dir_all(&dir)
                .map_err(|error| Failure::new(format!("create the folder {folder}"), error))?;
            for (name, text) in pages {
                let path = dir.join(format!("{name}.1"));
                fs::write(&path, text).map_err(|error| {
                    Failure::new(format!("write the man page {}", path.display()), error)
                })?;
            }
            return Ok(Status::Done);
        }
        let wanted = match &self.command {
            Some(command) => format!("reprise-{command}"),
            None => "reprise".into(),
        };
        let Some((_, text)) = pages.iter().find(|(name, _)| *name == wanted) else {
            let doing = format!(
                "print the man page of '{}'",
                wanted.replacen("reprise-", "", 1)
            );
            return Err(Failure::new(doing, "there is no such command")
                .next("reprise --help")
                .status(Status::BadInput));
        };
        io::stdout().write_all(text).map_err(Failure::output)?;
        Ok(Status::Done)
    }
}

/// The name and text of each page: the program's and one per command, and per
/// command of a command.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    // Building fills in the commands' full names, which the pages are named by.
    let mut program = super::definition().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    let mut left: Vec<&clap::Command> = vec![&program];
    while let Some(command) = left.pop() {
        left.extend(
            command
                .get_subcommands()
                .filter(|inner| inner.get_name() != "help"),
        );
        let name = command.get_display_name().unwrap_or("reprise").to_string();
        let text = page(command)
            .map_err(|error| Failure::new(format!("make the man page of {name}"), error))?;
        pages.push((name, text));
    }
    Ok(pages)
}

/// A page. What stands below a command's help becomes sections of their own,
/// set as it was written: the generator would run examples together.
fn page(command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let page = Page::new(command.clone());
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if command.get_subcommands().next().is_some() {
        page.render_subcommands_section(&mut text)?;
    }
    let footer = command.get_after_long_help().or(command.get_after_help());
    let footer = footer.map(ToString::to_string).unwrap_or_default();
    for section in footer.split("\n\n") {
        let mut lines = section.lines();
        let title = lines.next().unwrap_or_default().trim_end_matches(':');
        writeln!(text, ".SH \"{}\"\n.nf", title.to_uppercase())?;
        for line in lines {
            // The zero-width space keeps a dot or quote at the start of a line
            // from being a request.
            let line = line.trim_start().replace('\\', "\\e").replace('-', "\\-");
            writeln!(text, "\\&{line}")?;
        }
        writeln!(text, ".fi")?;
    }
    Ok(text)
}
