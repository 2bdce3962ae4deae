//! The table, one file per family of calls.

mod between;
mod bygone;
mod crossings;
mod files;
mod memory;
mod mounts;
mod network;
mod process;
mod signals;
mod time;
mod waiting;

use crate::shape::{Call, Class, Place, Shape, Size};

/// The families.
const FAMILIES: &[&[Call]] = &[
    between::CALLS,
    bygone::CALLS,
    crossings::CALLS,
    files::CALLS,
    memory::CALLS,
    mounts::CALLS,
    network::CALLS,
    process::CALLS,
    signals::CALLS,
    time::CALLS,
    waiting::CALLS,
];

/// Room for every number that the table knows.
const NUMBERS: usize = 512;

/// By number, so that a recorder finds a call in no time.
static BY_NUMBER: [Option<&Call>; NUMBERS] = by_number();

const fn by_number() -> [Option<&'static Call>; NUMBERS] {
    let mut found = [None; NUMBERS];
    let mut family = 0;
    while family < FAMILIES.len() {
        let calls = FAMILIES[family];
        let mut at = 0;
        while at < calls.len() {
            let number = calls[at].number as usize;
            assert!(found[number].is_none(), "a call is in the table twice");
            found[number] = Some(&calls[at]);
            at += 1;
        }
        family += 1;
    }
    found
}

/// The call with this number, if the table knows it.
#[must_use]
pub fn find(number: u64) -> Option<&'static Call> {
    let at = usize::try_from(number).ok()?;
    BY_NUMBER.get(at).copied().flatten()
}

/// What a person calls the call with this number.
#[must_use]
pub fn name(number: u64) -> String {
    find(number).map_or_else(
        || format!("system call {number}"),
        |call| call.name.to_owned(),
    )
}

/// Every call of the table.
pub fn all() -> impl Iterator<Item = &'static Call> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

const NONE: &[Place] = &[];
const FIRST: &[Place] = &[text(0)];
const SECOND: &[Place] = &[text(1)];

/// A call that is recorded with what it wrote.
const fn call(
    number: i64,
    name: &'static str,
    arguments: u8,
    reads: &'static [Place],
    writes: &'static [Place],
) -> Call {
    of_class(Class::Emulated, number, name, arguments, reads, writes)
}

/// A call that writes no memory, and whose arguments say all about it.
const fn plain(number: i64, name: &'static str, arguments: u8) -> Call {
    call(number, name, arguments, NONE, NONE)
}

/// A call that takes the name of a file first and writes no memory.
const fn on_path(number: i64, name: &'static str, arguments: u8) -> Call {
    call(number, name, arguments, FIRST, NONE)
}

/// A call that takes the name of a file second and writes no memory.
const fn on_path_at(number: i64, name: &'static str, arguments: u8) -> Call {
    call(number, name, arguments, SECOND, NONE)
}

const fn mapping(number: i64, name: &'static str, arguments: u8) -> Call {
    of_class(Class::Mapping, number, name, arguments, NONE, NONE)
}

const fn control(number: i64, name: &'static str, arguments: u8, writes: &'static [Place]) -> Call {
    of_class(Class::Control, number, name, arguments, NONE, writes)
}

const fn refused(number: i64, name: &'static str, arguments: u8) -> Call {
    of_class(Class::Refused, number, name, arguments, NONE, NONE)
}

const fn denied(number: i64, name: &'static str, arguments: u8) -> Call {
    of_class(Class::Denied, number, name, arguments, NONE, NONE)
}

const fn of_class(
    class: Class,
    number: i64,
    name: &'static str,
    arguments: u8,
    reads: &'static [Place],
    writes: &'static [Place],
) -> Call {
    Call {
        number: number as u64,
        name,
        arguments,
        class,
        reads,
        writes,
    }
}

const fn at(argument: u8, shape: Shape) -> Place {
    Place { argument, shape }
}

const fn text(argument: u8) -> Place {
    at(argument, Shape::Text)
}

const fn fixed(argument: u8, len: u32) -> Place {
    at(argument, Shape::Bytes(Size::Fixed(len)))
}

/// As many bytes as another argument says.
const fn sized(argument: u8, size: u8) -> Place {
    at(argument, Shape::Bytes(Size::Argument(size)))
}

/// As many bytes as the result says, at most as another argument says.
const fn filled(argument: u8, limit: u8) -> Place {
    let unit = 1;
    at(argument, Shape::Bytes(Size::Result { limit, unit }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments_of(shape: Shape) -> Vec<u8> {
        match shape {
            Shape::Bytes(Size::Fixed(_)) | Shape::Text | Shape::Message => vec![],
            Shape::Bytes(
                Size::Argument(n)
                | Size::More(n, _)
                | Size::Pages(n)
                | Size::Elements(n, _)
                | Size::Result { limit: n, .. },
            )
            | Shape::Iovec(n)
            | Shape::LengthAt(n)
            | Shape::Descriptors(n)
            | Shape::Messages(n)
            | Shape::Ioctl(n)
            | Shape::Fcntl(n)
            | Shape::Prctl(n)
            | Shape::ArchPrctl(n) => vec![n],
        }
    }

    #[test]
    fn a_shape_speaks_of_arguments_that_the_call_has() {
        for call in all() {
            assert!(call.arguments <= 6, "{}", call.name);
            for place in call.reads.iter().chain(call.writes) {
                let mut named = arguments_of(place.shape);
                named.push(place.argument);
                for argument in named {
                    assert!(argument < call.arguments, "{}: {place:?}", call.name);
                }
            }
        }
    }

    #[test]
    fn what_is_not_done_writes_nothing() {
        for call in all() {
            if matches!(
                call.class,
                Class::Refused | Class::Denied | Class::Hidden | Class::Mapping
            ) {
                assert!(call.writes.is_empty(), "{}", call.name);
            }
        }
    }

    #[test]
    fn a_call_is_found_by_its_number_and_named_without_it() {
        assert_eq!(find(0).unwrap().name, "read");
        assert_eq!(find(100_000), None);
        assert_eq!(name(231), "exit_group");
        assert_eq!(name(1 << 40), "system call 1099511627776");
    }

    /// The lengths in the table are numbers; these are the C structures.
    #[test]
    fn fixed_lengths_are_those_of_the_structures() {
        fn check<T>(name: &str, argument: u8) {
            let call = all().find(|call| call.name == name).unwrap();
            let place = call.writes.iter().find(|place| place.argument == argument);
            let len = u32::try_from(size_of::<T>()).unwrap();
            assert_eq!(place, Some(&fixed(argument, len)), "{name}");
        }
        check::<libc::stat>("stat", 1);
        check::<libc::stat>("fstat", 1);
        check::<libc::stat>("newfstatat", 2);
        check::<libc::statx>("statx", 4);
        check::<libc::statfs>("statfs", 1);
        check::<libc::utsname>("uname", 0);
        check::<libc::sysinfo>("sysinfo", 0);
        check::<libc::rusage>("getrusage", 1);
        check::<libc::rusage>("wait4", 3);
        check::<libc::siginfo_t>("waitid", 2);
        check::<libc::siginfo_t>("rt_sigtimedwait", 1);
        check::<libc::stack_t>("sigaltstack", 1);
        check::<libc::timespec>("clock_gettime", 1);
        check::<libc::timeval>("gettimeofday", 0);
        check::<libc::itimerspec>("timerfd_gettime", 1);
        check::<libc::itimerval>("getitimer", 1);
        check::<libc::rlimit64>("prlimit64", 3);
        check::<libc::tms>("times", 0);
        check::<[libc::c_int; 2]>("pipe2", 0);
        check::<[libc::c_int; 2]>("socketpair", 3);
    }

    #[test]
    fn elements_are_as_long_as_the_structures() {
        let unit = |name: &str| {
            let call = all().find(|call| call.name == name).unwrap();
            match call.writes[0].shape {
                Shape::Bytes(Size::Elements(_, unit) | Size::Result { unit, .. }) => unit as usize,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(unit("poll"), size_of::<libc::pollfd>());
        assert_eq!(unit("epoll_wait"), size_of::<libc::epoll_event>());
        assert_eq!(unit("getgroups"), size_of::<libc::gid_t>());
    }
}
