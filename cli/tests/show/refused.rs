//! What cannot be shown, and what is said about it.

use std::fs;

use expect_test::{Expect, expect};
use reprise_recording::header::FileHeader;

use super::{Folder, recorded, write};

#[test]
fn names_that_are_not_there() {
    let folder = Folder::new();
    folder.check(
        &[],
        2,
        &expect![[r#"
        reprise: cannot show the latest recording: there is no *.reprise file in the current folder
          try: reprise show FILE    with the path of a recording
          try: reprise tour         makes a recording and shows it
    "#]],
    );
    folder.check(
        &["shop"],
        2,
        &expect![[r#"
        reprise: cannot show shop: there is no such file
    "#]],
    );
    write(&folder.file("shop.reprise"), None);
    write(&folder.file("chop-2.reprise"), None);
    folder.check(
        &["shop"],
        2,
        &expect![[r#"
        reprise: cannot show shop: there is no such file
          try: reprise show shop.reprise
          try: reprise show chop-2.reprise
    "#]],
    );
    folder.check(
        &["nowhere/shop.reprise"],
        2,
        &expect![[r#"
            reprise: cannot show nowhere/shop.reprise: there is no folder nowhere
        "#]],
    );
    folder.check(
        &["shop.reprise", "--stream", "9"],
        2,
        &expect![[r#"
        reprise: cannot show shop.reprise: there is no stream 9; they are numbered 1 to 2
    "#]],
    );
    fs::create_dir(folder.file("empty")).unwrap();
    folder.check(
        &["empty"],
        2,
        &expect![[r#"
        reprise: cannot show empty: it is a folder, not a recording
    "#]],
    );
    fs::create_dir(folder.file("full")).unwrap();
    write(&folder.file("full/it is.reprise"), None);
    folder.check(
        &["full"],
        2,
        &expect![[r#"
        reprise: cannot show full: it is a folder, not a recording
          try: reprise show 'full/it is.reprise'    the latest in it
    "#]],
    );
}

#[test]
fn files_that_are_no_recordings() {
    let folder = Folder::new();
    let check = |content: &[u8], expected: Expect| {
        fs::write(folder.file("x.reprise"), content).unwrap();
        folder.check(&["x.reprise"], 2, &expected);
    };
    check(
        b"",
        expect![[r#"
        reprise: cannot show x.reprise: it is empty: a recorder took this name and has not written yet, or never did
    "#]],
    );
    check(
        b"\x7fELF\x02\x01\x01",
        expect![[r#"
        reprise: cannot show x.reprise: it is a program (ELF), not a recording
    "#]],
    );
    check(
        b"\x1f\x8b\x08",
        expect![[r#"
        reprise: cannot show x.reprise: it is compressed (gzip); unpack it first
    "#]],
    );
    check(
        b"PK\x03\x04",
        expect![[r#"
        reprise: cannot show x.reprise: it is a zip or jar file; unpack it first
    "#]],
    );
    check(
        b"hello\n",
        expect![[r#"
        reprise: cannot show x.reprise: it is a text file, not a recording
    "#]],
    );
    check(
        b"\0\0\0\0",
        expect![[r#"
        reprise: cannot show x.reprise: it does not start like a recording
    "#]],
    );
    check(
        b"\x89RPR\n\x1a\n",
        expect![[r#"
        reprise: cannot show x.reprise: it was a recording, but it was copied as text, which has destroyed it
    "#]],
    );
    let header = FileHeader { version: 1, id: 7 }.write();
    check(
        &header[..20],
        expect![[r#"
        reprise: cannot show x.reprise: it ends after 20 bytes, inside its first header
          try: copy it again: nothing of what was recorded is in this file
    "#]],
    );
    check(
        &header,
        expect![[r#"
        reprise: cannot show x.reprise: it has no readable manifest, so nothing says what it holds
          try: copy it again: the part after its first 32 bytes is damaged or missing
    "#]],
    );
    check(
        &FileHeader { version: 7, id: 7 }.write(),
        expect![[r#"
        reprise: cannot show x.reprise: it has format version 7; this reprise reads versions up to 2
          try: update reprise: this is 0.1.0
    "#]],
    );
    let mut damaged = header;
    damaged[17] ^= 1;
    check(
        &damaged,
        expect![[r#"
        reprise: cannot show x.reprise: its file header is damaged (checksum 428ef9da, computed 2a8dd512)
          try: copy it again: its first 32 bytes are not as they were written
    "#]],
    );
    folder.check(
        &["/dev/null"],
        2,
        &expect![[r#"
        reprise: cannot show /dev/null: it is not a regular file
    "#]],
    );
    let spool = folder.file("y.reprise");
    let (drainer, _subject) = recorded(&spool);
    folder.check(&["y.reprise.spool"], 2, &expect![[r#"
        reprise: cannot show y.reprise.spool: it is a spool; its events are shown with the recording beside it
          try: reprise show y.reprise
    "#]]);
    drop(drainer);
}
