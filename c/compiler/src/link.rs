//! A program, built again from other bitcode: linked as it was before, with the runtime. It is
//! the linker that compiles it, as it did with the bitcode of the plain program: it knows which
//! names nobody else needs, and the compiler may do more with those.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget,
    SymbolIndex,
};
use reprise_c_events::{ENTRIES, INSIDE};

use crate::COMPILER;
use crate::kept::Link;

/// Why it could not be built.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// A program is missing.
    #[error(
        "{program} cannot be run: {error}; it is in the packages {}",
        crate::PACKAGES
    )]
    Missing {
        /// Which.
        program: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// The compiler refuses.
    #[error("{what} failed:\n{output}")]
    Failed {
        /// What was done.
        what: &'static str,
        /// What the compiler says.
        output: String,
    },
    /// Inside memory would have other content in each run.
    #[error(
        "recorded variables hold the address of {symbol} of a library, which is elsewhere in \
         each run"
    )]
    Moves {
        /// What of the library.
        symbol: String,
    },
}

/// What a program has that is cut or counts, and nothing in it asks for.
const WANTED: [&str; 5] = [
    "__reprise_described",
    "__reprise_outside_end",
    "__reprise_replay",
    "__reprise_no_entry",
    "__reprise_weigh_at_begin",
];

/// Compiles `bitcode` and links it like the program was.
pub fn build(link: &Link, bitcode: &Path, runtime: &Path, output: &Path) -> Result<(), LinkError> {
    let mut arguments = link.arguments.iter().rev();
    let level = arguments.find(|one| one.starts_with("-O"));
    let mut command = Command::new(COMPILER);
    command.current_dir(&link.folder);
    command.args([
        "-flto",
        "-fuse-ld=lld",
        "-no-pie",
        "-Wl,--build-id",
        "-Wl,--gc-sections",
        "-Wl,-z,nostart-stop-gc",
    ]);
    // What nobody asks for by its name.
    command.args(WANTED.map(|name| format!("-Wl,-u,{name}")));
    command.args(level).arg("-o");
    command.arg(std::path::absolute(output).unwrap_or_else(|_| output.to_owned()));
    command.arg(std::path::absolute(bitcode).unwrap_or_else(|_| bitcode.to_owned()));
    // In front of all libraries: it takes the place of some of their functions.
    command.arg(runtime).args(remaining(link));
    command.args(["-lpthread", "-ldl", "-lm", "-lgcc_s"]);
    run(&mut command, "compiling and linking what was cut")?;
    let Ok(mut program) = fs::read(output) else {
        return Ok(());
    };
    if let Some(symbol) = moving(&program) {
        return Err(LinkError::Moves { symbol });
    }
    if rename_wrappers(&mut program).is_some() {
        // In place: it stays executable. What cannot be written is as it was.
        let _ = fs::OpenOptions::new()
            .write(true)
            .open(output)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &program));
    }
    Ok(())
}

/// A wrapper has the name of its function, by which the linker finds it. From here on it has
/// another one, so that a debugger knows one function of that name: the one with lines. Nothing if
/// there are no lines.
fn rename_wrappers(program: &mut [u8]) -> Option<()> {
    const NAME: &str = "__reprise_enter";
    const SYMBOL_LEN: usize = 24;
    let file = object::File::parse(&*program).ok()?;
    file.section_by_name(".debug_info")?;
    let entries = file.section_by_name(ENTRIES)?.index();
    let (table, _) = file.section_by_name(".symtab")?.file_range()?;
    let place = |index: SymbolIndex| table as usize + index.0 * SYMBOL_LEN;
    let named = place(file.symbol_by_name(NAME)?.index());
    let wrappers = file
        .symbols()
        .filter(|symbol| symbol.section_index() == Some(entries));
    let wrappers: Vec<usize> = wrappers.map(|symbol| place(symbol.index())).collect();
    // A symbol begins with where its name is.
    let name = *program.get(named..)?.first_chunk::<4>()?;
    for wrapper in wrappers {
        *program.get_mut(wrapper..)?.first_chunk_mut::<4>()? = name;
    }
    Some(())
}

/// A symbol whose address is put into inside variables when the program starts. A replay has
/// what is in the program's file.
fn moving(program: &[u8]) -> Option<String> {
    let file = object::File::parse(program).ok()?;
    let inside = file.section_by_name(INSIDE)?;
    let inside = inside.address()..inside.address() + inside.size();
    let (_, relocation) = file
        .dynamic_relocations()?
        .find(|(address, _)| inside.contains(address))?;
    let RelocationTarget::Symbol(symbol) = relocation.target() else {
        return Some("something".to_owned());
    };
    let symbols = file.dynamic_symbol_table()?;
    let symbol = symbols.symbol_by_index(symbol).ok()?;
    Some(symbol.name().unwrap_or_default().to_owned())
}

fn run(command: &mut Command, what: &'static str) -> Result<(), LinkError> {
    let output = command.output().map_err(|error| LinkError::Missing {
        program: COMPILER,
        error,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(LinkError::Failed { what, output })
}

/// The arguments of the link without what is in the bitcode.
fn remaining(link: &Link) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = link.arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" | "-x" => {
                rest.next();
            }
            "-flto" | "-pie" | "-fPIE" | "-fpie" | "-MD" | "-MMD" | "-MP" => {}
            text if text.starts_with("-o") || text.starts_with("-O") => {}
            text if text.starts_with('-') => all.push(argument.clone()),
            text if has_bitcode(&link.folder.join(text)) => {}
            _ => all.push(argument.clone()),
        }
    }
    all
}

/// Whether an input of the link is in the bitcode of the whole program.
fn has_bitcode(path: &PathBuf) -> bool {
    let is_source = path.extension().is_some_and(|ending| ending == "c");
    if is_source {
        return true;
    }
    let Ok(bytes) = fs::read(path) else {
        return false;
    };
    let Ok(file) = object::File::parse(&*bytes) else {
        return false;
    };
    file.sections()
        .any(|section| section.name() == Ok(".llvm.lto"))
}
