//! What functions do whose bodies are not known, as text.
//!
//! ```text
//! # name: what it does, separated by commas; arguments count from 1
//! malloc:  allocates
//! free:    frees 1
//! fopen:   handle          what it returns is nobody's to write to
//! read:    fills 2 result
//! fread:   fills 1 result*2
//! sscanf:  scans 2         a format, by which the arguments behind it are filled
//! strtol:  stores 2 1      a pointer into argument 1, to where argument 2 points
//! memcpy:  own, copies 1 2 3, returns 1    as many bytes as argument 3 says; without it a text
//! strlen:  own, reads 1
//! printf:  nothing
//! bsearch: calls 5
//! qsort:   own, writes 1, calls 4 1    with pointers into argument 1
//! setvbuf: keeps 2         and may change what can be reached from there, at any moment
//! pthread_once: varies 1   what is there differs from run to run
//! sem_post: varies 1 32    the same, of 32 bytes that nobody else looks into
//! signal:  handler 2
//! sigaction: handler_in 2
//! pthread_create: starts 3
//! setjmp:  marks 1
//! longjmp: jumps_to 1
//! ```
//! A function that is not listed may write to and keep everything that it can
//! reach through its arguments. One that is listed does what the line says and
//! nothing else: it reads what it is given, keeps no pointer to it, and what it
//! returns is not the program's own memory.
//!
//! *handle*: what it returns is the library's, and the program stores nothing there; *text*:
//! what it copies has no pointers; *scans*: this argument is a format as that of `scanf`;
//! *starts*: a thread, with the function of this argument; *marks*, *jumps_to*: a place to
//! jump to, in the memory of this argument.
//!
//! What *varies* is outside, with all that is beside it in a structure. If its length is said,
//! it may be inside: then the function gets memory elsewhere, which begins with what is inside.
//! *tables*: what it returns leads to tables that inside functions have a copy of.
//!
//! *own* means that the runtime has the function, too: it belongs to its caller,
//! is executed again in a replay, and is no flow of its own.

use std::collections::BTreeMap;

/// How many bytes a function fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Always so many.
    Bytes(u64),
    /// As many as it returns, if that is positive.
    Result,
    /// As many as it returns, times an argument.
    ResultTimes(usize),
    /// As many as an argument says, if it does not fail.
    Argument(usize),
    /// So many for each that an argument says.
    ArgumentTimes(usize, u64),
    /// A text, up to and with its end.
    Text,
}

/// What a function does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// It returns memory of its own making.
    pub allocates: bool,
    /// It returns a handle: memory of the library that the program has no business in. Of a
    /// variable: it holds one.
    pub handle: bool,
    /// It returns memory of its own making, with the content of this argument's.
    pub reallocates: Option<usize>,
    /// It gives the memory of this argument back.
    pub frees: Option<usize>,
    /// The runtime has it, too.
    pub own: bool,
    /// It copies to the first from the second.
    pub copies: Option<(usize, usize)>,
    /// As many bytes as this argument says; a text, if it is not said.
    pub copied: Option<usize>,
    /// What it copies is text, in which there are no pointers.
    pub text: bool,
    /// It writes the memory of these arguments, which hold no pointers then.
    pub writes: Vec<usize>,
    /// It keeps these arguments, and may do anything with what can be reached from there.
    pub keeps: Vec<usize>,
    /// What it has in the memory of these arguments differs from run to run; with so many
    /// bytes that only its like look into.
    pub varies: Vec<(usize, Option<u64>)>,
    /// It returns where tables are of which inside functions have a copy.
    pub tables: bool,
    /// It fills the memory of these arguments with what comes from outside.
    pub fills: Vec<(usize, Length)>,
    /// This argument is a format as that of `scanf`; what is behind it is filled.
    pub scans: Option<usize>,
    /// It stores a pointer to where these arguments point: into the memory of another
    /// argument, or to memory that is not the program's own.
    pub stores: Vec<(usize, Option<usize>)>,
    /// It returns a pointer that it was given.
    pub returns: Option<usize>,
    /// It calls what these arguments point to, before it returns; with pointers into the
    /// memory of another argument, if that is said.
    pub calls: Vec<(usize, Option<usize>)>,
    /// It has what this argument points to called at any moment.
    pub handler: Option<usize>,
    /// It has what is in the memory of this argument called at any moment.
    pub handler_in: Option<usize>,
    /// It has what this argument points to run by another thread, and keeps the others.
    pub starts: Option<usize>,
    /// It comes back again when somebody jumps to what it has left in the memory of this
    /// argument.
    pub marks: Option<usize>,
    /// It jumps to what is in the memory of this argument.
    pub jumps_to: Option<usize>,
    /// It comes back twice, in ways that cannot be followed.
    pub jumps: bool,
}

/// A line that says nothing that can be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AnnotationError {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// What is known of which functions.
#[derive(Clone, Debug, Default)]
pub struct Annotations(BTreeMap<String, Annotation>);

impl Annotations {
    /// Those that come with this: for the C library and POSIX, zlib and APR.
    pub fn shipped() -> Result<Self, AnnotationError> {
        let mut all = Self::default();
        for text in [
            include_str!("../annotations/libc.txt"),
            include_str!("../annotations/posix.txt"),
            include_str!("../annotations/fortified.txt"),
            include_str!("../annotations/zlib.txt"),
            include_str!("../annotations/apr.txt"),
        ] {
            all.add(text)?;
        }
        Ok(all)
    }

    /// Adds the lines of a text; a later line about a function replaces an earlier
    /// one.
    pub fn add(&mut self, text: &str) -> Result<(), AnnotationError> {
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or("").trim();
            if content.is_empty() {
                continue;
            }
            let wrong = |what: String| AnnotationError {
                line: index + 1,
                what,
            };
            let (names, does) = content
                .split_once(':')
                .ok_or_else(|| wrong("there is no colon behind the name".to_owned()))?;
            let annotation = read(does).map_err(wrong)?;
            for name in names.split_whitespace() {
                self.0.insert(name.to_owned(), annotation.clone());
            }
        }
        Ok(())
    }

    /// What is known of a function.
    pub fn find(&self, name: &str) -> Option<&Annotation> {
        self.0.get(name)
    }
}

fn read(text: &str) -> Result<Annotation, String> {
    let mut all = Annotation::default();
    for clause in text.split(',') {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let at = |index: usize| -> Result<usize, String> {
            let word = words.get(index).copied().unwrap_or("");
            match word.parse::<usize>() {
                Ok(number @ 1..=64) => Ok(number - 1),
                _ => Err(format!("{clause:?} wants the number of an argument")),
            }
        };
        match words.first().copied().unwrap_or("") {
            "nothing" => {}
            "own" => all.own = true,
            "allocates" => all.allocates = true,
            "text" => all.text = true,
            "handle" => all.handle = true,
            "jumps" => all.jumps = true,
            "marks" => all.marks = Some(at(1)?),
            "jumps_to" => all.jumps_to = Some(at(1)?),
            "reallocates" => all.reallocates = Some(at(1)?),
            "frees" => all.frees = Some(at(1)?),
            "copies" => {
                all.copies = Some((at(1)?, at(2)?));
                all.copied = words.get(3).map(|_| at(3)).transpose()?;
            }
            "writes" => all.writes.push(at(1)?),
            "keeps" => all.keeps.push(at(1)?),
            "tables" => all.tables = true,
            "varies" => {
                let bytes = match words.get(2) {
                    None => None,
                    Some(word) => match word.parse::<u64>() {
                        Ok(bytes @ 1..=4096) => Some(bytes),
                        _ => return Err(format!("{word:?} is no length")),
                    },
                };
                all.varies.push((at(1)?, bytes));
            }
            "returns" => all.returns = Some(at(1)?),
            "calls" => {
                let with = words.get(2).map(|_| at(2)).transpose()?;
                all.calls.push((at(1)?, with));
            }
            "handler" => all.handler = Some(at(1)?),
            "scans" => all.scans = Some(at(1)?),
            "starts" => all.starts = Some(at(1)?),
            "handler_in" => all.handler_in = Some(at(1)?),
            "reads" => {
                at(1)?;
            }
            "stores" => {
                let from = words.get(2).map(|_| at(2)).transpose()?;
                all.stores.push((at(1)?, from));
                all.fills.push((at(1)?, Length::Bytes(8)));
            }
            "fills" => {
                let length = words.get(2).copied().unwrap_or("");
                all.fills.push((at(1)?, read_length(length)?));
            }
            other => return Err(format!("nothing is known as {other:?}")),
        }
    }
    Ok(all)
}

fn read_length(text: &str) -> Result<Length, String> {
    let argument = |text: &str| match text.parse::<usize>() {
        Ok(number @ 1..=64) => Ok(number - 1),
        _ => Err(format!("{text:?} is not the number of an argument")),
    };
    if text == "result" {
        Ok(Length::Result)
    } else if text == "text" {
        Ok(Length::Text)
    } else if let Some(factor) = text.strip_prefix("result*") {
        Ok(Length::ResultTimes(argument(factor)?))
    } else if let Some(number) = text.strip_prefix("arg") {
        match number.split_once('*') {
            None => Ok(Length::Argument(argument(number)?)),
            Some((number, bytes)) => match bytes.parse() {
                Ok(bytes) => Ok(Length::ArgumentTimes(argument(number)?, bytes)),
                Err(_) => Err(format!("{bytes:?} is no number of bytes")),
            },
        }
    } else {
        let bytes = text.parse();
        bytes
            .map(Length::Bytes)
            .map_err(|_| format!("{text:?} is no length"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_can_be_read() {
        let all = Annotations::shipped().unwrap();
        let read = all.find("read").unwrap();
        assert_eq!(read.fills, [(1, Length::Result)]);
        assert!(all.find("strlen").unwrap().own);
        let strtol = all.find("strtol").unwrap();
        assert_eq!(strtol.stores, [(1, Some(0))]);
        assert_eq!(strtol.fills, [(1, Length::Bytes(8))]);
        assert_eq!(all.find("crc32"), Some(&Annotation::default()));
        assert_eq!(all.find("memcpy").unwrap().copied, Some(2));
        let fortified = all.find("__strcpy_chk").unwrap();
        assert_eq!((fortified.copies, fortified.copied), (Some((0, 1)), None));
        let poll = all.find("poll").unwrap();
        assert_eq!(poll.fills, [(0, Length::ArgumentTimes(1, 8))]);
        let wait = all.find("pthread_cond_wait").unwrap();
        assert_eq!(wait.varies, [(0, Some(48)), (1, Some(40))]);
        assert_eq!(all.find("pthread_once").unwrap().varies, [(0, None)]);
        assert!(all.find("__ctype_b_loc").unwrap().tables);
        assert_eq!(all.find("unheard_of"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| {
            let mut all = Annotations::default();
            all.add(text).unwrap_err().to_string()
        };
        assert_eq!(
            wrong("a: own\nb"),
            "line 2: there is no colon behind the name"
        );
        assert_eq!(
            wrong("a: fills 0 1"),
            "line 1: \" fills 0 1\" wants the number of an argument"
        );
        assert_eq!(wrong("a: fills 1 x"), "line 1: \"x\" is no length");
        assert_eq!(wrong("a: varies 1 0"), "line 1: \"0\" is no length");
        assert_eq!(wrong("a: sings"), "line 1: nothing is known as \"sings\"");
    }
}
