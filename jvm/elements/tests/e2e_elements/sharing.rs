//! What is shared in programs that javac has compiled.

use expect_test::{Expect, expect};
use reprise_elements::Sites;

use crate::elements;

fn check(java: &str, expected: &Expect) {
    let elements = elements(java);
    let mut text = String::new();
    for (number, element) in elements.list.iter().enumerate() {
        let sites = elements.sites.of(|of| of as usize == number);
        let mut deeds: Vec<String> = sites
            .0
            .values()
            .flatten()
            .map(|s| format!("{:?}", s.deed))
            .collect();
        deeds.sort();
        text += &format!("{element}: {}\n", deeds.join(" "));
    }
    text += &format!("{:?}\n", elements.spared);
    expected.assert_eq(&text);
    assert_eq!(Sites::read(&elements.sites.write()), elements.sites);
}

#[test]
fn fields_that_threads_may_meet_at() {
    check(
        "class Account { int balance; final int id; String name;
           Account(int id, String name) { this.id = id; this.name = name; }
           void add(int n) { balance = balance + n + id + name.length(); } }
         public class Main { static int before; static int rounds = 3;
           public static void main(String[] a) throws Exception {
             before = a.length;
             Account account = new Account(1, \"x\");
             Thread t = new Thread(() -> { for (int i = 0; i < rounds; i++) account.add(1); });
             t.start(); account.add(before); t.join(); } }",
        &expect![[r#"
            Account.balance: Access Access
            Spared { constant: 3, main_only: 1, local: 0 }
        "#]],
    );
}

#[test]
fn monitors_by_the_topmost_class() {
    check(
        "class Base { synchronized void one() {} }
         class Lower extends Base { void two() { synchronized (this) { try { wait(); }
           catch (InterruptedException e) { } } } }
         public class Main implements Runnable { static final Object LOCK = new Object();
           static synchronized void three() { synchronized (LOCK) { } }
           public void run() { Lower lower = new Lower(); lower.one(); lower.two(); three(); }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            monitor Base: Call Enter Method Wait
            monitor Class: Call Method
            monitor Object: Enter
            Spared { constant: 1, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn a_call_that_may_mean_a_method_without_a_monitor_is_none() {
    check(
        "class Base { synchronized void one() {} }
         class Lower extends Base { void one() {} }
         public class Main implements Runnable {
           public void run() { Base base = new Lower(); base.one(); }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            monitor Base: Method
            Spared { constant: 0, main_only: 0, local: 0 }
        "#]],
    );
}

/// Nothing could be stopped before it has such a monitor, so it is left out on both sides.
#[test]
fn methods_that_are_handed_out_have_no_call() {
    check(
        "public class Main { static int n;
           static synchronized void one() { two(); }
           static synchronized void two() { n++; }
           public synchronized String toString() { return \"\" + n; }
           public static void main(String[] a) { two(); new Thread(Main::one).start(); } }",
        &expect![[r#"
            Main.n: Access Access Access
            monitor Class: Call Call Method
            Spared { constant: 0, main_only: 0, local: 0 }
        "#]],
    );
}

/// A name that the JDK has as well is called back only where the JDK could call it.
#[test]
fn methods_of_the_program_alone_are_not_called_back() {
    check(
        "class Box implements java.util.function.Supplier<String> { String s;
           public synchronized String get() { return s; } }
         public class Main { static int n;
           private static synchronized int get() { return n; }
           private synchronized void run() { n++; }
           public static void main(String[] a) {
             new Thread(() -> { get(); new Main().run(); new Box().get(); }).start(); get(); } }",
        &expect![[r#"
            Main.n: Access Access Access
            monitor Main: Call Method
            monitor Class: Call Call Method
            Spared { constant: 1, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn arrays_and_what_synchronises_by_itself() {
    check(
        "import java.util.concurrent.atomic.*; import java.util.concurrent.locks.*;
         public class Main implements Runnable { int[] some = new int[3];
           final Object[] others = new Object[1]; final AtomicInteger n = new AtomicInteger();
           final Lock lock = new ReentrantLock();
           public void run() { lock.lock(); some[0]++; others[0] = some; n.incrementAndGet(); lock.unlock(); }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            Object[] of Main.<init>:3: Access
            int[] of Main.<init>:2: Access Access
            calls java.util.concurrent.atomic.AtomicInteger: Access
            calls java.util.concurrent.locks.Lock: Acquire
            Spared { constant: 4, main_only: 0, local: 0 }
        "#]],
    );
}

/// The number of an element is the same whatever the order of the classes.
#[test]
fn another_program_is_another_version() {
    let one = elements(
        "public class Main { static int n; public static void main(String[] a) { n++; } }",
    );
    let same = elements(
        "public class Main { static int n; public static void main(String[] a) { n++; } }",
    );
    let other = elements(
        "public class Main { static int n; public static void main(String[] a) { n--; } }",
    );
    assert_eq!(one.version, same.version);
    assert_ne!(one.version, other.version);
}
