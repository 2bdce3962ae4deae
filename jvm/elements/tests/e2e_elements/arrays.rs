//! Which arrays an access may be of, in programs that javac has compiled.

use expect_test::{Expect, expect};
use reprise_elements::Element;

use crate::elements;

/// The arrays that are shared, with how many accesses there are, and what is spared.
fn check(java: &str, expected: &Expect) {
    let elements = elements(java);
    let mut text = String::new();
    for (number, element) in elements.list.iter().enumerate() {
        if matches!(element, Element::Arrays { .. }) {
            let sites = elements.sites.of(|of| of as usize == number).len();
            text += &format!("{element}: {sites}\n");
        }
    }
    text += &format!("{:?}\n", elements.spared);
    expected.assert_eq(&text);
}

#[test]
fn arrays_of_two_fields_are_two_elements() {
    check(
        "public class Main implements Runnable {
           int[] one = new int[3];
           int[] two = new int[3];
           public void run() { one[0] = two[1]; two[2]++; }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            int[] of Main.<init>:2: 1
            int[] of Main.<init>:3: 3
            Spared { constant: 2, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn arrays_that_may_be_the_same_are_one_element() {
    // A field that has both, a parameter, a result, an element of another array, a choice.
    check(
        "public class Main implements Runnable {
           int[] one = new int[3];
           int[] two = new int[3];
           int[] either = one.length > 2 ? one : two;
           public void run() { one[0] = 1; two[1] = 2; either[2] = 3; }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            int[] of Main.<init>:2: 3
            Spared { constant: 3, main_only: 0, local: 0 }
        "#]],
    );
    check(
        "public class Main implements Runnable {
           static long[] made = new long[3];
           static long[] same(long[] given) { return given; }
           long[][] rows = { null };
           public void run() {
             rows[0] = same(made);
             long[] row = rows[0];
             row[1] = made[1];
           }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            Object[] of Main.<init>:4: 2
            long[] of Main.<clinit>:2: 2
            Spared { constant: 2, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn what_a_subclass_and_an_interface_hide_is_found() {
    check(
        "interface Sink { void put(char[] text); }
         class Base { char[] kept; }
         class Lower extends Base implements Sink {
           public void put(char[] text) { kept = text; text[0] = 'a'; } }
         public class Main implements Runnable {
           Lower lower = new Lower();
           Base base = lower;
           public void run() { Sink sink = lower; sink.put(new char[2]); base.kept[1] = 'b'; }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            char[] of Main.run:8: 2
            Spared { constant: 2, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn local_arrays_and_tables_are_spared() {
    check(
        "public class Main implements Runnable {
           static final int[] TABLE = { 3, 1, 2 };
           static int sum(int[] numbers) { int sum = 0; for (int n : numbers) sum += n; return sum; }
           public void run() {
             int[] own = new int[4];
             int[][] rows = new int[2][2];
             for (int i = 0; i < own.length; i++) { own[i] = TABLE[i % 3]; rows[1][0] += own[i]; }
             sum(own); sum(rows[1]);
             int[] copy = own.clone();
             System.arraycopy(own, 0, copy, 0, 4);
             java.util.Arrays.sort(copy);
             sum(copy);
           }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            Spared { constant: 3, main_only: 0, local: 1 }
        "#]],
    );
}

#[test]
fn what_a_lambda_captures_is_shared() {
    check(
        "public class Main {
           public static void main(String[] a) throws Exception {
             double[][] grid = new double[3][3];
             int[] turn = { 0 };
             int[] own = { 0 };
             Thread t = new Thread(() -> { grid[0][1] = 2; turn[0]++; });
             t.start(); grid[1][0] = 3; own[0]++; t.join();
             System.out.println(grid[0][1] + turn[0] + own[0]); } }",
        &expect![[r#"
            double[] of Main.main:3: 3
            int[] of Main.main:4: 3
            Spared { constant: 1, main_only: 1, local: 0 }
        "#]],
    );
}

#[test]
fn what_the_jdk_was_given_may_be_anything_from_there() {
    check(
        "import java.util.*;
         public class Main implements Runnable {
           List<int[]> list = new ArrayList<>();
           int[] other = new int[1];
           public void run() {
             int[] given = new int[1];
             list.add(given);
             given[0] = 1;
             list.get(0)[0] = 2;
             other[0] = 3;
           }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            int[]: 2
            int[] of Main.<init>:4: 1
            Spared { constant: 2, main_only: 0, local: 0 }
        "#]],
    );
}

#[test]
fn with_reflection_only_what_stays_in_a_method_is_known() {
    check(
        "import java.lang.reflect.*;
         public class Main implements Runnable {
           int[] one = new int[3];
           int[] two = new int[3];
           static void fill(long[] given) { given[0] = 1; }
           public void run() { one[0] = two[1];
             int[] own = new int[1]; own[0]++;
             fill(new long[1]);
             try { Main.class.getDeclaredField(\"one\").set(this, two); }
             catch (ReflectiveOperationException e) { } 
             Field f = null; }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            int[]: 2
            long[]: 1
            Spared { constant: 2, main_only: 0, local: 1 }
        "#]],
    );
}

/// Paths that meet: what a local has in one part of a method has nothing to do with what it
/// has in another, and a handler sees what there was at any place before.
#[test]
fn locals_are_followed_through_the_code() {
    check(
        "public class Main implements Runnable {
           static byte[] first = new byte[2];
           static byte[] second = new byte[2];
           static byte[] third = new byte[2];
           public void run() {
             for (int i = 0; i < 2; i++) { byte[] here = first; here[i] = 1; }
             for (int i = 0; i < 2; i++) { byte[] here = second; here[i] = 2; }
             byte[] late = new byte[1];
             try { late = third; Thread.sleep(1); late = new byte[5]; }
             catch (InterruptedException e) { late[0] = 3; }
           }
           public static void main(String[] a) { new Thread(new Main()).start(); } }",
        &expect![[r#"
            byte[] of Main.<clinit>:2: 1
            byte[] of Main.<clinit>:3: 1
            byte[] of Main.<clinit>:4: 1
            Spared { constant: 3, main_only: 0, local: 0 }
        "#]],
    );
}
