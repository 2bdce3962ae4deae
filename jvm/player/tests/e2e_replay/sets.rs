//! Sets of classes to be inside, drawn by lot from those that a program uses.

use std::collections::BTreeSet;

/// The classes that a JVM says it has verified, to use them, as its log
/// `class+init` has them; a class with all that are nested in it is one.
pub(crate) fn used(linked: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let classes: BTreeSet<String> = linked
        .lines()
        .filter_map(|line| line.split_once("Start class verification for: "))
        .filter_map(|(_, name)| name.split('$').next())
        .filter(|name| wanted(name))
        .map(str::to_owned)
        .collect();
    assert!(!classes.is_empty(), "the JVM does not say what it verifies");
    classes.into_iter().collect()
}

/// Adds sets, the same ones every time: classes alone or as many together as
/// `sizes` says, then packages, until there are `total`, or none is left.
pub(crate) fn draw(
    sets: &mut Vec<Vec<String>>,
    classes: &[String],
    sizes: &[usize],
    total: usize,
    seed: u64,
) {
    let packages: BTreeSet<String> = classes
        .iter()
        .filter_map(|class| Some(format!("{}.**", class.rsplit_once('.')?.0)))
        .collect();
    let packages: Vec<String> = packages.into_iter().collect();
    let mut state = seed;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    // Of few classes there may be fewer sets than are wanted.
    const TRIES: usize = 1000;
    for &size in sizes.iter().filter(|&&size| size <= classes.len()) {
        for _ in 0..TRIES {
            let mut set = BTreeSet::new();
            while set.len() < size {
                set.insert(classes[random(classes.len())].clone());
            }
            let set: Vec<String> = set.into_iter().collect();
            if !sets.contains(&set) {
                sets.push(set);
                break;
            }
        }
    }
    for _ in 0..TRIES {
        if sets.len() >= total {
            break;
        }
        let set = vec![packages[random(packages.len())].clone()];
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
}
