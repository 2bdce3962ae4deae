//! A changed class diverges where it differs, and nowhere else.

use reprise_jvm_player::{Fact, Plan, Played};
use reprise_recording::Recording;

use crate::support;

const PROGRAM: &str = r#"
import java.util.ArrayList;
import java.util.List;

public class Main {
    public static void main(String[] args) {
        Cart cart = new Cart();
        cart.add("tea", 3);
        cart.add("milk", 2);
        System.out.println(cart.total(1));
        System.out.println(cart.first());
    }
}

class Cart {
    final List<String> names = new ArrayList<>();
    int total;

    void add(String name, int price) {
        names.add(name);
        total += price;
    }

    int total(int discount) {
        return total - discount;
    }

    String first() {
        return names.get(0).toUpperCase(java.util.Locale.ROOT);
    }
}
"#;

/// What playing it says when one line is another.
fn played(old: &str, new: &str, keep_going: bool) -> Played {
    let java = &support::jdks()[0];
    let (_folder, file) = support::recorded(java, PROGRAM, "Cart");
    assert!(PROGRAM.contains(old));
    let plan = Plan {
        keep_going,
        classes: support::classes(&PROGRAM.replace(old, new)),
    };
    let recording = Recording::open(&file).unwrap();
    support::jvm(java).play(&recording, &plan).unwrap()
}

fn said(played: &Played) -> Vec<String> {
    played.divergences.iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_class_again_does_not_diverge() {
    let played = played("total - discount", "total - 1 * discount", false);
    assert_eq!((played.diverged, played.replaced), (0, 1));
}

#[test]
fn another_result() {
    let played = played("total - discount", "total + discount", false);
    assert_eq!(
        said(&played),
        [
            "diverged at event 13 of thread main, in Cart.total: expected a return of 4, got a return of 6"
        ]
    );
    assert_eq!(
        played.divergences[0].actual,
        Fact::Return {
            value: "6".to_owned()
        }
    );
}

#[test]
fn another_argument() {
    let played = played("names.add(name)", "names.add(name + '!')", false);
    assert_eq!(
        said(&played),
        [
            "diverged at event 5 of thread main, at Cart.add:20: expected a call of \
             java.util.List.add with argument 1 \"tea\", got a call of java.util.List.add with \
             argument 1 \"tea!\""
        ]
    );
}

#[test]
fn another_call() {
    let played = played("names.get(0)", "names.remove(0)", false);
    assert_eq!(
        said(&played),
        [
            "diverged at event 15 of thread main, at Cart.first:29: expected a call of \
             java.util.List.get, got a call of java.util.List.remove"
        ]
    );
}

#[test]
fn a_call_less() {
    let played = played("names.add(name);", "", false);
    assert_eq!(
        said(&played),
        [
            "diverged at event 5 of thread main, in Cart.add: expected a call of \
             java.util.List.add, got a return"
        ]
    );
}

#[test]
fn an_exception_instead() {
    let played = played("total - discount", "total / (discount - 1)", false);
    assert_eq!(
        said(&played),
        [
            "diverged at event 13 of thread main, in Cart.total: expected a return of 4, got the exception \
             java.lang.ArithmeticException"
        ]
    );
}

#[test]
fn keep_going_counts_and_goes_on() {
    let played = played("names.add(name);", "", true);
    assert_eq!(played.diverged, 2, "{:?}", said(&played));
    assert_eq!(
        said(&played)[1],
        "diverged at event 9 of thread main, in Cart.add: expected a call of java.util.List.add, got a return"
    );
}
