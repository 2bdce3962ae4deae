//! Memory at several addresses: a recording may say that of anything.

use reprise_player::{PlayError, Played};
use reprise_process_events::{Event, Region, VIEWS, View};

use crate::{CODE, DATA, LIMITS, call, played, start};

const OTHER: u64 = DATA + 0x10_0000;

/// mov byte [OTHER + 5], 7; cmp byte [DATA + 5], 7; je +2; ud2; mov eax, 39; syscall
fn code() -> Vec<u8> {
    let mut code = vec![0xc6, 0x04, 0x25];
    code.extend((OTHER as u32 + 5).to_le_bytes());
    code.extend([7, 0x80, 0x3c, 0x25]);
    code.extend((DATA as u32 + 5).to_le_bytes());
    code.extend([7, 0x74, 2, 0x0f, 0x0b, 0xb8, 39, 0, 0, 0, 0x0f, 0x05]);
    code
}

fn view(start: u64, end: u64, offset: u64) -> View {
    View {
        start,
        end,
        object: 3,
        offset,
    }
}

fn shown(views: &[View]) -> Result<Played, PlayError> {
    let mut start = start();
    start.regions.push(Region {
        start: OTHER,
        end: OTHER + 0x2000,
        protection: 3,
        name: String::new(),
    });
    start.views = views.to_vec();
    let code = code();
    played(&start, &code, &[call(39, &code)])
}

#[test]
fn what_is_written_at_one_address_is_read_at_the_other() {
    let views = [
        view(DATA, DATA + 0x1000, 0x3000),
        view(OTHER, OTHER + 0x2000, 0x3000),
    ];
    assert_eq!(shown(&views).unwrap().events, 2);
    // And not where nobody says so.
    let apart = shown(&[]);
    assert!(matches!(apart, Err(PlayError::Diverged(_))), "{apart:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let senseless = [
        view(DATA, DATA + 0x2000, 0),
        view(DATA, DATA, 0),
        view(DATA + 0x1000, DATA, 0),
        view(DATA + 1, DATA + 0x1000, 0),
        view(DATA, DATA + 0x1000, 1),
        view(DATA, DATA + 0x1000, !0xfff),
        view(0, !0xfff, 0),
    ];
    for one in senseless {
        let result = shown(&[one]);
        let refused = matches!(result, Err(PlayError::Unplayable { .. }));
        assert!(refused, "{one:?}: {result:?}");
    }
    let many = vec![view(DATA, DATA + 0x1000, 0); VIEWS + 1];
    let result = shown(&many);
    let refused = matches!(result, Err(PlayError::Unplayable { .. }));
    assert!(refused, "{result:?}");
}

#[test]
fn views_that_contradict_each_other_end_somewhere() {
    // Each page of it is all others.
    let views: Vec<View> = (0..64)
        .map(|n| view(OTHER, OTHER + 0x2000, (n % 3) * 0x1000))
        .collect();
    let result = shown(&views);
    assert!(result.is_err(), "{result:?}");
    // Code that is data, too.
    let code = [view(CODE, CODE + 0x1000, 0), view(DATA, DATA + 0x1000, 0)];
    let result = shown(&code);
    assert!(result.is_err(), "{result:?}");
}

#[test]
fn there_is_no_more_of_it_than_of_other_memory() {
    let len = LIMITS.memory + 0x1000;
    let mut start = start();
    let far = 1 << 40;
    start.regions.push(Region {
        start: far,
        end: far + len,
        protection: 0,
        name: String::new(),
    });
    let views = vec![view(far, far + len, 0)];
    let result = played(&start, &[], &[Event::Views(views)]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}
