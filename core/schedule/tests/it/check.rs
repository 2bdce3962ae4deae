//! What does not make sense, by itself and for a program.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use reprise_schedule::{
    Blocks, Bytecode, ClassFacts, MethodFacts, Program, Severity, check as check_schedule,
    parse_lines, resolve,
};

fn check_with(text: &str, program: Option<&Program>, expected: &Expect) {
    let parsed = parse_lines(text).unwrap();
    let mut found = String::new();
    for finding in check_schedule(&parsed.schedule, program) {
        let line = parsed.lines.get(finding.command).copied().unwrap_or(1);
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let what = &finding.what;
        writeln!(found, "{line}: {severity}: {what}\n  {}", what.hint()).unwrap();
    }
    expected.assert_eq(&found);
}

fn check(text: &str, expected: &Expect) {
    check_with(text, None, expected);
}

fn place(event: &str, expected: &Expect) {
    let program = program();
    let text = format!("{event} 1\n");
    let parsed = parse_lines(&text).unwrap();
    let found = match resolve(&parsed.schedule, &program) {
        Ok(schedule) => schedule.to_string(),
        Err((_, problem)) => format!("{problem}\n  {}\n", problem.hint()),
    };
    expected.assert_eq(&found);
}

fn method(
    name: &str,
    descriptor: &str,
    bytecodes: &[(u32, Blocks)],
    lines: &[(u32, u32)],
) -> MethodFacts {
    let bytecodes = bytecodes.iter().map(|(offset, blocks)| Bytecode {
        offset: *offset,
        blocks: *blocks,
    });
    MethodFacts {
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        bytecodes: bytecodes.collect(),
        lines: lines.to_vec(),
        ..MethodFacts::default()
    }
}

/// A class with a constructor, a method with a `wait`, an overloaded one and an
/// abstract one, and a lambda on the line of the `wait`.
fn program() -> Program {
    use Blocks::{No, Perhaps, Yes};
    let producer = ClassFacts {
        source: Some("com/acme/Producer.java".to_owned()),
        methods: vec![
            method("<init>", "()V", &[(0, No), (1, No), (4, No)], &[(0, 3)]),
            method(
                "run",
                "()V",
                &[(0, No), (3, Yes), (6, No), (7, Perhaps)],
                &[(0, 10), (3, 11), (6, 12)],
            ),
            method("put", "(I)V", &[(0, No)], &[(0, 20)]),
            method("put", "(J)V", &[(0, No)], &[(0, 21)]),
            method("stop", "()V", &[], &[]),
            method("lambda$run$0", "()V", &[(0, No)], &[(0, 10)]),
        ],
    };
    Program {
        names: ["com.acme.Producer", "com.acme.Main"]
            .map(str::to_owned)
            .into(),
        sources: ["com/acme/Producer.java", "com/acme/Main.java"]
            .map(str::to_owned)
            .into(),
        classes: [("com.acme.Producer".to_owned(), producer)].into(),
        starts_threads: true,
        most_threads: None,
    }
}

#[test]
fn threads_run_die_and_are_created() {
    check(
        "before A a 1 1\nswitch 1\nbefore A a 1 1\nswitch 1\n",
        &expect![[r#"
            4: warning: thread 1 switches to itself
              leave the switch out
        "#]],
    );
    check("in A a 1 1\ntimeout 0\nswitch 0\n", &expect![[r#""#]]);
    check(
        "before A a 1 1\nnotify 0\nswitch 0.1.1\n",
        &expect![[r#"
            2: error: thread 0 is running, so it is not blocked
              notify and timeout are for threads that wait, join or sleep
            3: error: there can be no thread 0.1.1 yet: thread 0.1, which creates it, has not run
              switch to thread 0.1 first
        "#]],
    );
    check(
        "before A a 1 1\ndie 1\nbefore A a 1 1\nnotify 0\nswitch 0\n",
        &expect![[r#"
            4: error: thread 0 is dead
              a thread does nothing after 'die'
            5: error: thread 0 is dead
              a thread does nothing after 'die'
        "#]],
    );
    check(
        "before A a 1 1\nswitch 1\nbefore A a 1 1\nswitch 0.2\n",
        &expect![[r#"
            4: error: thread 1 is named by its number and thread 0.2 by its descent; they may be the same
              name all threads in the same way
        "#]],
    );
    check(
        "terminate\nbefore A a 1 1\nswitch 1\n",
        &expect![[r#"
        2: warning: this is never performed: 'terminate' comes before it
          leave it out
        3: warning: this is never performed: 'terminate' comes before it
          leave it out
    "#]],
    );
}

#[test]
fn loops_are_gone_through_until_nothing_changes() {
    check(
        "before A a 1 1\nswitch 1\nloopbegin\nbefore A a 1 1\ndie 2\nloopend 2\n",
        &expect![[r#"
            5: error: thread 2 is dead
              a thread does nothing after 'die'
        "#]],
    );
    check(
        "loopbegin\nbefore A a 1 1\nloopend inf\nswitch 1\n",
        &expect![[r#"
            4: warning: this is never performed: no thread is running, or a loop before it has no end
              leave it out
        "#]],
    );
    let deep = "loopbegin\n".repeat(60) + "before A a 1 1\n" + &"loopend 9\n".repeat(60);
    check(&deep, &expect![[r#""#]]);
}

#[test]
fn messages_are_sent_and_received() {
    check(
        "thread 0\nsend 1 5\nthread 1\nreceive 0 6\n",
        &expect![[r#"
            2: warning: thread 1 does not receive the message 5 of thread 0
              add 'receive 0 5', or leave the 'send' out
            4: error: thread 1 waits for the message 6 of thread 0, which does not send it (again)
              add the 'send', or 'receive' from the thread itself to keep it where it is
        "#]],
    );
    check(
        "thread 0\nreceive 1 1\nsend 1 2\nthread 1\nreceive 0 2\nsend 0 1\n",
        &expect![[r#"
            2: error: threads wait for one another: 0 for the message 1 of 1, 1 for the message 2 of 0
              let one of them send before it receives
        "#]],
    );
    check(
        "thread 0\ndie\nsend 1 1\nbefore A a 1 1\nthread 1\nreceive 0 1\n",
        &expect![[r#"
            4: error: thread 0 is dead
              a thread does nothing after 'die'
        "#]],
    );
    check("thread 0\nreceive 0 0\n", &expect![[r#""#]]);
}

#[test]
fn places_are_in_the_program() {
    place(
        "before com.acme.Producer run()V 3",
        &expect![[r#"
        before com.acme.Producer run()V 3 1
    "#]],
    );
    place(
        "before com.acme.Producer run 3",
        &expect![[r#"
        before com.acme.Producer run()V 3 1
    "#]],
    );
    place(
        "in com.acme.Producer 1 3",
        &expect![[r#"
        in com.acme.Producer run()V 3 1
    "#]],
    );
    place(
        "in com.acme.Producer run 7",
        &expect![[r#"
        in com.acme.Producer run()V 7 1
    "#]],
    );
    place(
        "before Producer.java:12",
        &expect![[r#"
        before com.acme.Producer run()V 6 1
    "#]],
    );
    // It may block, and nothing else on the line does.
    place(
        "in Producer.java:12",
        &expect![[r#"
            in com.acme.Producer run()V 7 1
        "#]],
    );
    place(
        "in com/acme/Producer.java:11",
        &expect![[r#"
        in com.acme.Producer run()V 3 1
    "#]],
    );
}

#[test]
fn what_is_not_in_the_program_is_answered_with_what_is_near() {
    place(
        "before com.acme.Porducer run 3",
        &expect![[r#"
        there is no class com.acme.Porducer in the program
          did you mean com.acme.Producer?
    "#]],
    );
    place(
        "before Producer run 3",
        &expect![[r#"
        there is no class Producer in the program
          did you mean com.acme.Producer?
    "#]],
    );
    place(
        "before java.lang.Thread run 3",
        &expect![[r#"
        there is no class java.lang.Thread in the program
          name the call in the program instead: switches inside the JDK are not possible
    "#]],
    );
    place(
        "before com.other.Thing run 3",
        &expect![[r#"
        there is no class com.other.Thing in the program
          is this the right program, with all of its jars?
    "#]],
    );
    place(
        "before com.acme.Producer rnu 3",
        &expect![[r#"
        there is no method rnu in class com.acme.Producer
          did you mean run()V?
    "#]],
    );
    place(
        "before com.acme.Producer run(I)V 3",
        &expect![[r#"
        there is no method run(I)V in class com.acme.Producer
          did you mean run()V?
    "#]],
    );
    place(
        "before com.acme.Producer 9 3",
        &expect![[r#"
        there is no method 9 in class com.acme.Producer
          'javap -c -p' lists the methods of a class
    "#]],
    );
    place(
        "before com.acme.Producer put 0",
        &expect![[r#"
        class com.acme.Producer has several methods put
          write put(I)V or put(J)V
    "#]],
    );
    place(
        "before com.acme.Producer stop 0",
        &expect![[r#"
        com.acme.Producer.stop()V has no code: it is abstract or native
          name a method that has a body
    "#]],
    );
    place(
        "before com.acme.Producer run 4",
        &expect![[r#"
        no bytecode of com.acme.Producer.run()V begins at offset 4
          bytecodes begin at 3 or 6; was the schedule made for another version of the program?
    "#]],
    );
    place(
        "before com.acme.Producer run 99",
        &expect![[r#"
        no bytecode of com.acme.Producer.run()V begins at offset 99
          bytecodes begin at 7; was the schedule made for another version of the program?
    "#]],
    );
    place(
        "in com.acme.Producer run 0",
        &expect![[r#"
        the bytecode at com.acme.Producer.run()V 0 never blocks, so nothing can happen 'in' it
          write 'before', or 'in' with offset 3
    "#]],
    );
    place(
        "in com.acme.Producer put(I)V 0",
        &expect![[r#"
        the bytecode at com.acme.Producer.put(I)V 0 never blocks, so nothing can happen 'in' it
          write 'before'
    "#]],
    );
    place(
        "before Produzer.java:12",
        &expect![[r#"
        no class of the program says that it was compiled from Produzer.java
          did you mean Producer.java?
    "#]],
    );
    place(
        "before Producer.java:13",
        &expect![[r#"
        there is no code at line 13 of Producer.java
          there is code at line 12 or 20
    "#]],
    );
    place(
        "before Producer.java:10",
        &expect![[r#"
        line 10 of Producer.java is more than one place
          write 'com.acme.Producer run()V 0' or 'com.acme.Producer lambda$run$0()V 0'
    "#]],
    );
    place(
        "in Producer.java:20",
        &expect![[r#"
        nothing at line 20 of Producer.java blocks, so nothing can happen 'in' it
          write 'before'
    "#]],
    );
}

#[test]
fn a_program_that_starts_no_thread_has_one() {
    let program = Program {
        starts_threads: false,
        ..program()
    };
    check_with(
        "before com.acme.Producer run 3 1\nswitch 1\nbefore com.acme.Producer run 4 1\nswitch 0\n",
        Some(&program),
        &expect![[r#"
            2: error: there can be no thread 1: nothing in the program starts one
              is this the right program?
            3: error: no bytecode of com.acme.Producer.run()V begins at offset 4
              bytecodes begin at 3 or 6; was the schedule made for another version of the program?
        "#]],
    );
}

#[test]
fn there_are_no_more_threads_than_the_program_creates() {
    let program = Program {
        most_threads: Some(2),
        ..program()
    };
    let at = "before com.acme.Producer run 3 1";
    check_with(
        &format!("{at}\nswitch 2\n{at}\nswitch 0\n{at}\nswitch 3\n"),
        Some(&program),
        &expect![[r#"
            6: error: there can be no thread 3: the program creates 2 threads at most
              threads are numbered from 1 as they are created, or named as in 0.1; is this the right program?
        "#]],
    );
    check_with(
        &format!("{at}\nswitch 0.1\n{at}\nswitch 0.1.1\n{at}\nswitch 0.1.2\n"),
        Some(&program),
        &expect![[r#"
            6: error: there can be no thread 0.1.2: the program creates 2 threads at most
              threads are numbered from 1 as they are created, or named as in 0.1; is this the right program?
        "#]],
    );
}
