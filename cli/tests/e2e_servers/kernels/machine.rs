//! Kernels from Debian, and an emulated machine with nothing but one of them, what it
//! starts, and two serial ports.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::apt::Apt;
use crate::program;

/// Releases of Debian with kernels that are years apart.
const RELEASES: &[&str] = &["bullseye", "bookworm", "trixie", "sid"];

/// The emulated processor. With `cmpxchg16b`, which Linux allocates memory with, QEMU 7.2
/// loses flags: Linux 6.12 panics behind that instruction, or has impossible ones for good.
const PROCESSOR: &str = "max,-cx16";

/// How long a machine may run.
const SECONDS: &str = "2400";

/// What busybox does on it.
const APPLETS: &str = "sh mount base64 cat echo poweroff sleep uname timeout grep tail head \
                       basename stty ln seq cut tr nc ifconfig";

const INIT: &str = "#!/bin/sh
export PATH=/bin HOME=/tmp TMPDIR=/tmp XDG_RUNTIME_DIR=/tmp
mount -t proc proc /proc; mount -t sysfs sys /sys
mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
ln -s /proc/self/fd /dev/fd
exec </dev/null
stty -F /dev/ttyS1 raw
echo
sh /job
echo @end
poweroff -f
";

/// A kernel to boot.
pub(super) struct Kernel {
    pub(super) name: String,
    image: PathBuf,
}

impl Kernel {
    /// Those in a folder, or Debian's.
    pub(super) fn all(wanted: &str) -> Vec<Self> {
        if wanted != "1" {
            let files = fs::read_dir(wanted).unwrap().flatten();
            let mut all: Vec<_> = files.map(|file| Self::of(file.path())).collect();
            all.sort_by(|one, other| one.name.cmp(&other.name));
            return all;
        }
        RELEASES
            .iter()
            .filter_map(|name| Self::fetch(name))
            .collect()
    }

    fn of(image: PathBuf) -> Self {
        let name = image.file_name().unwrap().to_string_lossy();
        let name = name.trim_start_matches("vmlinuz-").to_owned();
        Self { name, image }
    }

    /// The newest kernel for virtual machines of a release, downloaded once.
    fn fetch(release: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let folder = folder.join(release);
        fs::create_dir_all(&folder).unwrap();
        let kept = |folder: &Path| {
            let files = fs::read_dir(folder)
                .unwrap()
                .flatten()
                .map(|file| file.path());
            let mut files = files.filter(|file| file.to_string_lossy().contains("vmlinuz-"));
            files.next()
        };
        if let Some(image) = kept(&folder) {
            return Some(Self::of(image));
        }
        let apt = Apt::new(release, &folder)?;
        let package = newest(&apt)?;
        apt.run("apt-get", &["download", &package])?;
        let unpacked = apt.unpack(&folder)?;
        let release = package.split_once(|c: char| c.is_ascii_digit())?.0.len();
        let release = &package[release..];
        let places = [
            unpacked.join(format!("boot/vmlinuz-{release}")),
            unpacked.join(format!("usr/lib/modules/{release}/vmlinuz")),
            unpacked.join(format!("lib/modules/{release}/vmlinuz")),
        ];
        let image = places.iter().find(|place| place.exists())?;
        fs::copy(image, folder.join(format!("vmlinuz-{release}"))).unwrap();
        kept(&folder).map(Self::of)
    }
}

/// The package with the newest kernel.
fn newest(apt: &Apt<'_>) -> Option<String> {
    let names = apt.run("apt-cache", &["pkgnames", "linux-"])?;
    let numbers = |name: &str| -> Vec<u32> {
        let numbers = name.split(|c: char| !c.is_ascii_digit());
        numbers.filter_map(|number| number.parse().ok()).collect()
    };
    let is_kernel = |name: &&str| {
        let rest = name.strip_prefix("linux-image-");
        let rest = rest.or_else(|| name.strip_prefix("linux-binary-"));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            && name.ends_with("-cloud-amd64")
    };
    let kernels = names.lines().filter(is_kernel);
    // Where there are both, the kernel is in the second kind of package.
    let newest = kernels.max_by_key(|name| (numbers(name), name.starts_with("linux-binary")));
    newest.map(str::to_owned)
}

/// A machine that is to boot.
pub(super) struct Machine {
    pub(super) root: PathBuf,
}

/// What came out of it.
pub(super) struct Said {
    pub(super) console: String,
    /// The recordings, by their names.
    pub(super) recordings: Vec<(String, Vec<u8>)>,
}

impl Machine {
    /// A root with `reprise` and what starts it.
    pub(super) fn new(root: &Path, job: &str) -> Self {
        let machine = Self {
            root: root.to_owned(),
        };
        for folder in ["bin", "proc", "sys", "dev", "tmp", "recordings", "programs"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let busybox = Command::new("sh")
            .args(["-c", "command -v busybox"])
            .output()
            .unwrap();
        let busybox = String::from_utf8(busybox.stdout).unwrap();
        fs::copy(busybox.trim(), root.join("bin/busybox")).unwrap();
        for applet in APPLETS.split_whitespace() {
            std::os::unix::fs::symlink("busybox", root.join("bin").join(applet)).unwrap();
        }
        let reprise = Path::new(&program()).to_owned();
        machine.add("bin", &reprise);
        let name = root.join("bin").join(reprise.file_name().unwrap());
        fs::rename(name, root.join("bin/reprise")).unwrap();
        fs::write(root.join("job"), job).unwrap();
        fs::write(root.join("init"), INIT).unwrap();
        let mut executable = Command::new("chmod");
        assert!(
            executable
                .arg("755")
                .arg(root.join("init"))
                .status()
                .unwrap()
                .success()
        );
        machine
    }

    /// Adds a program with what it is linked to.
    pub(super) fn add(&self, folder: &str, file: &Path) {
        let linked = Command::new("ldd").arg(file).output().unwrap();
        let linked = String::from_utf8_lossy(&linked.stdout).into_owned();
        let linked = linked
            .split_whitespace()
            .filter(|word| word.starts_with('/'));
        for path in linked {
            let copy = self.root.join(path.trim_start_matches('/'));
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
        }
        let copy = self.root.join(folder).join(file.file_name().unwrap());
        fs::copy(file, &copy).unwrap();
        // Symbols are not needed there, and memory is.
        let _ = Command::new("strip").arg("-S").arg(&copy).status();
    }

    /// Boots it with a kernel and waits for its end.
    pub(super) fn boot(&self, kernel: &Kernel) -> Said {
        let packed = self.root.with_file_name("packed");
        let pack = format!(
            "find . | cpio -o -H newc --quiet | gzip -1 > {}",
            packed.display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &pack]).current_dir(&self.root);
        assert!(shell.status().unwrap().success());
        let beside = |what: &str| {
            let name = format!("{}.{what}", kernel.name);
            self.root.with_file_name(name)
        };
        let (port, console) = (beside("port"), beside("console"));
        let mut qemu = Command::new("timeout");
        qemu.args([
            SECONDS,
            "qemu-system-x86_64",
            "-accel",
            "tcg",
            "-cpu",
            PROCESSOR,
        ]);
        qemu.args([
            "-smp",
            "1",
            "-m",
            "3072",
            "-nographic",
            "-no-reboot",
            "-nodefaults",
        ]);
        qemu.args(["-append", "console=ttyS0 quiet panic=-1 rdinit=/init"]);
        qemu.arg("-kernel")
            .arg(&kernel.image)
            .arg("-initrd")
            .arg(&packed);
        for file in [&console, &port] {
            qemu.arg("-serial").arg(format!("file:{}", file.display()));
        }
        let qemu = qemu.stdin(Stdio::null()).output().unwrap();
        let text = |file: &Path| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
        let sent = text(&port);
        Said {
            console: text(&console) + &String::from_utf8_lossy(&qemu.stderr),
            recordings: unpacked(&sent),
        }
    }
}

/// The recordings among lines of a serial port.
fn unpacked(sent: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut lines = sent.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("@ ") else {
            continue;
        };
        let text: String = lines.by_ref().take_while(|line| *line != "@").collect();
        all.push((name.to_owned(), decoded(&text)));
    }
    all
}

/// Base 64.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |letter: u8| LETTERS.iter().position(|known| *known == letter);
    let values: Vec<u32> = text.bytes().filter_map(value).map(|v| v as u32).collect();
    let mut bytes = Vec::new();
    for four in values.chunks(4) {
        let word = (0..4).fold(0, |word, at| word << 6 | four.get(at).copied().unwrap_or(0));
        bytes.extend(&word.to_be_bytes()[1..four.len()]);
    }
    bytes
}
