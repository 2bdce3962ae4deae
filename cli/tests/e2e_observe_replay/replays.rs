//! As recorded, changed, in a folder, damaged.

use std::fs;

use crate::stage::{CART, Stage, compile, said};

#[test]
fn a_recording_is_played_without_its_classes() {
    let stage = Stage::record(CART, "Cart");
    let line = "reprise: replayed 14 events of 1 thread; everything is as recorded";
    assert_eq!(said(&stage.replay(&[])), (Some(0), vec![line.to_owned()]));
}

#[test]
fn another_version_diverges_with_status_3() {
    let stage = Stage::record(CART, "Cart");
    let new = stage.folder.path().join("new");
    compile(&CART.replace("total - discount", "total + discount"), &new);
    let (status, lines) = said(&stage.replay(&["--classes", "new", "x.reprise"]));
    assert_eq!(status, Some(3));
    assert_eq!(
        lines[0],
        "reprise: diverged at event 13 of thread main: expected a return of 4, got a return of 6"
    );
    let (status, lines) = said(&stage.replay(&["--classes", "none.jar", "x.reprise"]));
    assert_eq!(status, Some(2), "{lines:?}");
}

#[test]
fn keep_going_plays_to_the_end() {
    let stage = Stage::record(CART, "Cart");
    let new = stage.folder.path().join("new");
    compile(&CART.replace("names.add(name);", ""), &new);
    let arguments = ["--keep-going", "--classes", "new", "x.reprise"];
    let (status, lines) = said(&stage.replay(&arguments));
    assert_eq!(status, Some(3));
    assert_eq!(
        lines[2], "reprise: replayed 14 events of 1 thread; 2 divergences",
        "{lines:?}"
    );
}

#[test]
fn a_folder_of_recordings_is_summed_up() {
    let stage = Stage::record(CART, "Cart");
    let folder = stage.folder.path().join("recordings");
    fs::create_dir(&folder).unwrap();
    for name in ["a.reprise", "b.reprise"] {
        fs::copy(&stage.file, folder.join(name)).unwrap();
    }
    let (status, lines) = said(&stage.replay(&["recordings"]));
    let expected = "reprise: 2 recordings: 2 as recorded, 0 diverged, 0 could not be played";
    assert_eq!((status, &lines[..]), (Some(0), &[expected.to_owned()][..]));
    fs::write(folder.join("c.reprise"), "nothing").unwrap();
    let new = stage.folder.path().join("new");
    compile(&CART.replace("total - discount", "total + discount"), &new);
    let (status, lines) = said(&stage.replay(&["--classes", "new", "recordings"]));
    assert_eq!(status, Some(3));
    let last = "reprise: 3 recordings: 0 as recorded, 2 diverged, 1 could not be played";
    assert_eq!(lines.last().unwrap(), last);
}
