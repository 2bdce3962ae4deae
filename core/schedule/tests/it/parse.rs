//! What is wrong with a text, where, and what to write instead.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use reprise_schedule::{limits, parse, parse_bytes};

fn check(text: &str, expected: &Expect) {
    let mut found = String::new();
    match parse_bytes(text.as_bytes()) {
        Ok(parsed) => found.push_str(&parsed.schedule.to_string()),
        Err(errors) => {
            for error in errors.iter() {
                writeln!(found, "{error}\n  {}", error.hint()).unwrap();
            }
        }
    }
    expected.assert_eq(&found);
}

#[test]
fn a_mistake_does_not_hide_the_others() {
    check(
        "before Main main 3 1\n  swich 1 # typo\nswitch\nswitch 1 2\nfrobnicate\n\tnotify größer\n",
        &expect![[r#"
            line 2, column 3: there is no command 'swich'
              write 'switch THREAD' or 'switch none'
            line 3, column 7: a thread or 'none' is missing
              write 'switch THREAD' or 'switch none'
            line 4, column 10: '2' is one word too many
              write 'switch THREAD' or 'switch none'
            line 5, column 1: there is no command 'frobnicate'
              begin the line with before, in, switch, notify, timeout, die, terminate, log, loopbegin, loopend, thread, send or receive; '#' begins a comment
            line 6, column 9: 'größer' is no thread: it is not a number, nor numbers with dots between them
              write 0 for main, 1 for the thread created first, or 0.2.1 for the first child of main's second
        "#]],
    );
}

#[test]
fn places_are_looked_at_word_by_word() {
    check(
        "before",
        &expect![[r#"
            line 1, column 7: a place is missing
              write 'before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT'
        "#]],
    );
    check(
        "before Main",
        &expect![[r#"
            line 1, column 12: a method is missing
              write 'before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT'
        "#]],
    );
    check(
        "before Main main",
        &expect![[r#"
            line 1, column 17: an offset is missing
              write 'before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT'
        "#]],
    );
    check(
        "before Main main -1 1",
        &expect![[r#"
        line 1, column 18: an offset is a number from 0 to 4294967295, and '-1' is none
          the offset is the number before the bytecode in the output of 'javap -c'
    "#]],
    );
    check(
        "before Main main 3",
        &expect![[r#"
            line 1, column 19: a count is missing
              write 'before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT'
        "#]],
    );
    check(
        "before Main main 3 0",
        &expect![[r#"
        line 1, column 20: a count is a number from 1 to 9223372036854775807, and '0' is none
          1 is the first time that the place is reached since the last event
    "#]],
    );
    check(
        "in Main.java:3 9223372036854775808",
        &expect![[r#"
        line 1, column 16: a count is a number from 1 to 9223372036854775807, and '9223372036854775808' is none
          1 is the first time that the place is reached since the last event
    "#]],
    );
    check(
        "before Main 65536 3 1",
        &expect![[r#"
        line 1, column 13: a method's index is a number from 0 to 65535, and '65536' is none
          write a number from 0 to 65535
    "#]],
    );
    check(
        "before Main ()V 3 1",
        &expect![[r#"
        line 1, column 13: there is no name in '()V'
          write 'CLASS METHOD OFFSET', as in 'Producer run()V 13', or 'Producer.java:13'
    "#]],
    );
    check(
        "before :3 1",
        &expect![[r#"
        line 1, column 8: there is no name in ':3'
          write 'CLASS METHOD OFFSET', as in 'Producer run()V 13', or 'Producer.java:13'
    "#]],
    );
    check(
        "before M\\u{d800}n main 3 1",
        &expect![[r#"
        line 1, column 8: an escape is written \u{…} with the number of a character in it
          a blank in a name is written \u{20}
    "#]],
    );
}

#[test]
fn threads_are_numbers_or_descents() {
    check(
        "switch main",
        &expect![[r#"
        line 1, column 8: 'main' is no thread: it is not a number, nor numbers with dots between them
          write 0 for main, 1 for the thread created first, or 0.2.1 for the first child of main's second
    "#]],
    );
    check(
        "switch 2.1",
        &expect![[r#"
        line 1, column 8: '2.1' is no thread: a name by descent begins with 0, the main thread
          0.2.1 is the first child of main's second child
    "#]],
    );
    check(
        "switch 0.0",
        &expect![[r#"
        line 1, column 8: '0.0' is no thread: a thread's children are counted from 1
          0.2.1 is the first child of main's second child
    "#]],
    );
    check(
        "notify none",
        &expect![[r#"
        line 1, column 8: 'none' is no thread: it is not a number, nor numbers with dots between them
          write 0 for main, 1 for the thread created first, or 0.2.1 for the first child of main's second
    "#]],
    );
}

#[test]
fn loops_begin_and_end() {
    check(
        "loopbegin\nloopbegin\nloopend 2\n",
        &expect![[r#"
        line 1, column 1: this loop has no end
          write 'loopend N' or 'loopend inf' behind the commands to repeat
    "#]],
    );
    check(
        "loopend inf\n",
        &expect![[r#"
        line 1, column 1: there is no loop to end
          write 'loopbegin' before the commands to repeat
    "#]],
    );
    check(
        "loopbegin\nloopend\n",
        &expect![[r#"
            line 2, column 8: the number of rounds is missing
              write 'loopend N' or 'loopend inf'
        "#]],
    );
    check(
        "loopbegin\nloopend 0\n",
        &expect![[r#"
            line 2, column 9: the number of rounds is a number from 1 to 9223372036854775807, and '0' is none
              write a number above 0, or inf
        "#]],
    );
    check(
        &"loopbegin\n".repeat(limits::NESTING + 1),
        &expect![[r#"
            line 64, column 1: this loop has no end
              write 'loopend N' or 'loopend inf' behind the commands to repeat
            line 65, column 1: loops are nested more than 64 deep
              write inner loops out
        "#]],
    );
}

#[test]
fn the_formats_are_not_mixed() {
    check(
        "switch 1\nsend 1 2\nthread 1\n",
        &expect![[r#"
        line 2, column 1: 'send' belongs to the format with messages
          begin the file with 'thread 0', the sequence of the main thread, or write 'switch THREAD'
        line 3, column 1: 'thread' belongs to the format with messages
          begin the file with 'thread 0', before any other command
    "#]],
    );
    check(
        "thread 0\nswitch 1\ndie 1\nthread 1\nthread 0\n",
        &expect![[r#"
            line 2, column 1: 'switch' belongs to the format with switches
              in a sequence of a thread write 'send THREAD VALUE' and 'receive THREAD VALUE'
            line 3, column 5: '1' is one word too many
              write 'die'
            line 5, column 1: thread 0 has a sequence already
              write all commands of a thread below one 'thread' line
        "#]],
    );
}

#[test]
fn messages_have_a_level_and_end_at_a_comment() {
    check(
        "log 5 x",
        &expect![[r#"
        line 1, column 5: a level is a number from 1 to 4, and '5' is none
          write a number from 1 to 4
    "#]],
    );
    check(
        "log 4   a \t b\\u{20}\\u{20}c\\temp # d\nlog 1",
        &expect![[r#"
            log 4 a b c\temp
            log 1
        "#]],
    );
}

#[test]
fn too_much_is_refused() {
    let long = "x".repeat(limits::NAME + 1);
    check(
        &format!("before {long} main 3 1"),
        &expect![[r#"
        line 1, column 8: a name has more than 65535 bytes
          shorten it
    "#]],
    );
    check(
        &format!("log 1 {long}"),
        &expect![[r#"
        line 1, column 7: a message has more than 65535 bytes
          shorten it
    "#]],
    );
    let line = "x".repeat(limits::LINE + 1);
    check(
        &line,
        &expect![[r#"
        line 1, column 1: the line has more than 2097152 bytes
          write one command per line
    "#]],
    );
    let errors = parse(&"x\n".repeat(100)).unwrap_err();
    assert_eq!(errors.iter().count(), limits::ERRORS);
    let errors = parse_bytes(b"switch 1\nlog 1 \xff").unwrap_err();
    expect!["line 2, column 7: the bytes from here on are not UTF-8"]
        .assert_eq(&errors.to_string());
}
