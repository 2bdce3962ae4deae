use super::*;

const A: Pid = Pid::from_raw(1);
const B: Pid = Pid::from_raw(2);

fn object() -> Object {
    Object {
        device: "00:01".to_owned(),
        inode: 7,
        attached: false,
    }
}

fn page(first: u8) -> Page {
    let mut page = *ZERO;
    page[0] = first;
    page
}

fn shared(purse: &Purse) -> Mirrors {
    let mut mirrors = Mirrors::new(purse.clone());
    let objects = BTreeSet::from([object()]);
    mirrors.maps(A, &objects);
    mirrors.maps(B, &objects);
    mirrors
}

fn unseen(mirrors: &Mirrors, process: Pid) -> Vec<(u64, Option<u8>, u8)> {
    let object = object();
    let all = mirrors.unseen(&object, process);
    all.map(|change| {
        (
            change.page,
            change.before.map(|page| page[0]),
            change.now[0],
        )
    })
    .collect()
}

#[test]
fn what_one_writes_the_other_has_not_seen() {
    let purse = Purse::new(1 << 20);
    let mut mirrors = shared(&purse);
    mirrors.wrote((&object(), 7), &page(1), A, true);
    mirrors.wrote((&object(), 7), &page(2), A, true);
    mirrors.wrote((&object(), 200), &page(0), A, true);
    assert_eq!(unseen(&mirrors, A), []);
    // From what it saw last, and not from what was between.
    assert_eq!(unseen(&mirrors, B), [(7, Some(0), 2)]);
    mirrors.saw(B);
    assert_eq!(unseen(&mirrors, B), []);
    mirrors.wrote((&object(), 7), &page(3), B, true);
    assert_eq!(unseen(&mirrors, A), [(7, Some(2), 3)]);
}

#[test]
fn what_may_have_been_seen_in_part_is_told_as_a_whole() {
    let mut mirrors = shared(&Purse::new(1 << 20));
    mirrors.wrote((&object(), 7), &page(1), A, true);
    mirrors.wrote((&object(), 7), &page(1), A, false);
    assert_eq!(unseen(&mirrors, B), [(7, None, 1)]);
}

#[test]
fn a_view_stays_as_it_was_and_pages_are_kept_once() {
    let purse = Purse::new(1 << 20);
    let mut mirrors = shared(&purse);
    mirrors.wrote((&object(), 63), &page(1), A, true);
    mirrors.wrote((&object(), 64), &page(2), A, true);
    let before = mirrors.view(&object());
    mirrors.wrote((&object(), 64), &page(3), A, true);
    mirrors.saw(B);
    assert_eq!(purse.common(), 3 * PAGE);
    let numbers = |view: &View, first, end| -> Vec<(u64, u8)> {
        let pages = view.pages(first, end);
        pages.map(|(number, page)| (number, page[0])).collect()
    };
    assert_eq!(numbers(&before, 0, 1000), [(63, 1), (64, 2)]);
    assert_eq!(numbers(&mirrors.view(&object()), 64, 65), [(64, 3)]);
    drop(before);
    assert_eq!(purse.common(), 2 * PAGE);
    mirrors.maps(A, &BTreeSet::new());
    mirrors.maps(B, &BTreeSet::new());
    assert!(!mirrors.has(&object()));
    assert_eq!(purse.common(), 0);
}

#[test]
fn what_changes_late_is_looked_at_until_its_process_is_gone() {
    let mut mirrors = shared(&Purse::new(1 << 20));
    mirrors.changes_late(&object(), 7, A);
    assert_eq!(mirrors.late(&object()), [7]);
    assert_eq!(mirrors.late(&object()), [7]);
    mirrors.maps(A, &BTreeSet::new());
    assert_eq!(mirrors.late(&object()), [7]);
    assert!(mirrors.late(&object()).is_empty());
}

#[test]
fn where_memory_is_short_nobody_knows_what_was_before() {
    let mut mirrors = shared(&Purse::new(0));
    mirrors.wrote((&object(), 7), &page(1), A, true);
    assert_eq!(unseen(&mirrors, B), [(7, None, 1)]);
}
