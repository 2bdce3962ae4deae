//! The files that a client opens, all of them programs and libraries: from the
//! folder that the user has named, from where they were when that is still the
//! same file, or else made of what is in memory.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gdbstub::target::ext::host_io::{
    HostIo, HostIoClose, HostIoCloseOps, HostIoErrno, HostIoError, HostIoFstat, HostIoFstatOps,
    HostIoOpen, HostIoOpenFlags, HostIoOpenMode, HostIoOpenOps, HostIoPread, HostIoPreadOps,
    HostIoResult, HostIoSetfs, HostIoSetfsOps, HostIoStat,
};
use object::{Object as _, ObjectSection as _, SectionFlags};
use reprise_recording::Source;

use crate::auxv;
use crate::image::{Known, Module};
use crate::target::Debuggee;

/// The largest file that is handed out.
const LONGEST: u64 = 2 << 30;

/// How many may be open at a time.
const MOST: usize = 256;

/// Where programs and libraries with their symbols may be.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// A folder: with the paths of the machine that the run was on, or with the
    /// files themselves.
    pub symbols: Option<PathBuf>,
}

/// A file that the client has opened.
pub(crate) struct Open {
    content: Vec<u8>,
}

impl Files {
    /// The content of a file, if it is the one with this build id.
    fn find(&self, name: &str, build_id: Option<&[u8]>) -> Option<Vec<u8>> {
        let path = Path::new(name);
        if let Some(folder) = &self.symbols {
            let whole = folder.join(path.strip_prefix("/").unwrap_or(path));
            let own = path.file_name().map(|own| folder.join(own));
            let found = [Some(whole), own].into_iter().flatten();
            let mut found = found.filter_map(|path| program(&path));
            // Of a file without a build id only its name can be known.
            let fits = |content: &Vec<u8>| {
                let id = id_of(content);
                id.is_none() || build_id.is_none() || id.as_deref() == build_id
            };
            if let Some(content) = found.find(fits) {
                return Some(content);
            }
        }
        // A recording may name any file of this machine, so it has to know what
        // is in it.
        let build_id = build_id?;
        program(path).filter(|content| id_of(content).as_deref() == Some(build_id))
    }
}

impl Files {
    /// What a file of symbols, found by build id as distributions have them, says of the
    /// sections of the program that it was made from.
    fn sections(&self, build_id: &[u8]) -> Vec<Known> {
        let Some((first, rest)) = build_id.split_first() else {
            return Vec::new();
        };
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(String::new(), |all, b| format!("{all}{b:02x}"))
        };
        let name = format!(".build-id/{}/{}.debug", hex(&[*first]), hex(rest));
        let folders = [Path::new(""), Path::new("usr/lib/debug")];
        let paths = { self.symbols.iter() }
            .flat_map(|symbols| folders.map(|folder| symbols.join(folder).join(&name)));
        let content = paths.into_iter().find_map(|path| program(&path));
        content.map_or_else(Vec::new, |content| known(&content))
    }
}

/// The sections of a file that are in memory.
fn known(content: &[u8]) -> Vec<Known> {
    const IN_MEMORY: u64 = 2;
    /// What is found in memory itself.
    const FOUND: [&str; 2] = [".note.gnu.build-id", ".eh_frame"];
    let Ok(file) = object::File::parse(content) else {
        return Vec::new();
    };
    let sections = file.sections().filter_map(|section| {
        let SectionFlags::Elf { sh_flags: flags } = section.flags() else {
            return None;
        };
        let name = section.name().ok()?.to_owned();
        let known = flags & IN_MEMORY != 0 && !FOUND.contains(&name.as_str());
        known.then(|| Known {
            name,
            address: section.address(),
            len: section.size(),
            flags,
        })
    });
    sections.collect()
}

/// Reads a file, if it is an ELF file.
fn program(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return None;
    }
    let mut content = Vec::new();
    file.take(LONGEST).read_to_end(&mut content).ok()?;
    content.starts_with(b"\x7fELF").then_some(content)
}

fn id_of(content: &[u8]) -> Option<Vec<u8>> {
    let file = object::File::parse(content).ok()?;
    Some(file.build_id().ok()??.to_vec())
}

impl<S: Source> Debuggee<'_, '_, '_, S> {
    /// What is in the file of this name, as far as that can be known.
    fn content(&self, name: &str) -> Option<Vec<u8>> {
        let read = |address: u64, len: usize| {
            let mut bytes = vec![0; len.min(LONGEST as usize)];
            let read = self.session.read(address, &mut bytes);
            bytes.truncate(read);
            bytes
        };
        let module = self
            .base_of(&read, name)
            .and_then(|base| Module::at(&read, base));
        let build_id = module.as_ref().and_then(Module::build_id);
        let found = self.files.find(name, build_id.as_deref());
        found.or_else(|| {
            let known = build_id.map(|id| self.files.sections(&id));
            module?.file(&known.unwrap_or_default())
        })
    }

    /// Where a program or library is in memory.
    fn base_of(&self, read: &dyn Fn(u64, usize) -> Vec<u8>, name: &str) -> Option<u64> {
        let named = self.opened.regions().iter().find(|region| {
            let plain = region.name.strip_suffix(" (deleted)");
            plain.unwrap_or(&region.name) == name
        });
        if let Some(region) = named {
            return Some(region.start);
        }
        let program = auxv::base(&self.auxv)?;
        let module = Module::at(read, program)?;
        if module.interpreter().as_deref() == Some(name) {
            return auxv::loader(&self.auxv);
        }
        let libraries = module.libraries();
        let found = libraries.iter().find(|(library, _)| library == name);
        found.map(|(_, base)| *base)
    }
}

impl<S: Source> HostIo for Debuggee<'_, '_, '_, S> {
    fn support_open(&mut self) -> Option<HostIoOpenOps<'_, Self>> {
        Some(self)
    }

    fn support_close(&mut self) -> Option<HostIoCloseOps<'_, Self>> {
        Some(self)
    }

    fn support_pread(&mut self) -> Option<HostIoPreadOps<'_, Self>> {
        Some(self)
    }

    fn support_fstat(&mut self) -> Option<HostIoFstatOps<'_, Self>> {
        Some(self)
    }

    fn support_setfs(&mut self) -> Option<HostIoSetfsOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Source> HostIoOpen for Debuggee<'_, '_, '_, S> {
    fn open(
        &mut self,
        name: &[u8],
        flags: HostIoOpenFlags,
        _: HostIoOpenMode,
    ) -> HostIoResult<u32, Self> {
        let writes = HostIoOpenFlags::O_WRONLY
            | HostIoOpenFlags::O_RDWR
            | HostIoOpenFlags::O_CREAT
            | HostIoOpenFlags::O_TRUNC;
        if flags.intersects(writes) {
            return Err(HostIoError::Errno(HostIoErrno::EROFS));
        }
        let missing = || HostIoError::Errno(HostIoErrno::ENOENT);
        let name = std::str::from_utf8(name).map_err(|_| missing())?;
        let content = self.content(name).ok_or_else(missing)?;
        let open = Some(Open { content });
        let free = self.open.iter().position(Option::is_none);
        let index = match free {
            Some(index) => {
                self.open[index] = open;
                index
            }
            None if self.open.len() < MOST => {
                self.open.push(open);
                self.open.len() - 1
            }
            None => return Err(HostIoError::Errno(HostIoErrno::EMFILE)),
        };
        // Numbers from 3 on, as everywhere.
        Ok(index as u32 + 3)
    }
}

impl<S: Source> Debuggee<'_, '_, '_, S> {
    fn opened(&mut self, number: u32) -> HostIoResult<&mut Option<Open>, Self> {
        let index = (number as usize).checked_sub(3);
        let open = index.and_then(|index| self.open.get_mut(index));
        open.filter(|open| open.is_some())
            .ok_or(HostIoError::Errno(HostIoErrno::EBADF))
    }
}

impl<S: Source> HostIoClose for Debuggee<'_, '_, '_, S> {
    fn close(&mut self, number: u32) -> HostIoResult<(), Self> {
        *self.opened(number)? = None;
        Ok(())
    }
}

impl<S: Source> HostIoPread for Debuggee<'_, '_, '_, S> {
    fn pread(
        &mut self,
        number: u32,
        count: usize,
        offset: u64,
        buffer: &mut [u8],
    ) -> HostIoResult<usize, Self> {
        let open = self.opened(number)?;
        let content = open.as_ref().map_or(&[][..], |open| &open.content);
        Ok(crate::target::part(content, offset, count, buffer))
    }
}

impl<S: Source> HostIoFstat for Debuggee<'_, '_, '_, S> {
    fn fstat(&mut self, number: u32) -> HostIoResult<HostIoStat, Self> {
        let open = self.opened(number)?;
        let len = open.as_ref().map_or(0, |open| open.content.len() as u64);
        Ok(HostIoStat {
            st_dev: 0,
            st_ino: number,
            st_mode: HostIoOpenMode::S_IFREG | HostIoOpenMode::S_IRUSR,
            st_nlink: 1,
            st_uid: 0,
            st_gid: 0,
            st_rdev: 0,
            st_size: len,
            st_blksize: 4096,
            st_blocks: len.div_ceil(512),
            st_atime: 0,
            st_mtime: 0,
            st_ctime: 0,
        })
    }
}

impl<S: Source> HostIoSetfs for Debuggee<'_, '_, '_, S> {
    fn setfs(&mut self, _: gdbstub::target::ext::host_io::FsKind) -> HostIoResult<(), Self> {
        Ok(())
    }
}
