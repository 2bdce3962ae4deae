//! How far the search for few switches is from the optimum, against every
//! possible order of small random cases.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;

use reprise_schedule::order::{Need, Order, Piece};

/// xorshift, so that every run sees the same cases.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % n
    }
}

/// A random order that can be gone through: a random run of the threads comes
/// first, and each need is on something that the run had done by then.
fn random_order(random: &mut Random) -> Order {
    let threads = 2 + random.below(4);
    let pieces = 3 + random.below(6);
    let mut order = Order {
        threads: vec![Vec::new(); threads],
    };
    let mut left = vec![pieces; threads];
    order.threads[0].push(Piece::default());
    left[0] -= 1;
    // Short or long turns, few or many needs: both ends are easy, and all is tried.
    let stay = random.below(8);
    let needy = 3 + random.below(6);
    let mut thread = 0;
    while left.iter().any(|left| *left > 0) {
        if random.below(8) >= stay || left[thread] == 0 {
            thread = random.below(threads);
        }
        if left[thread] == 0 {
            continue;
        }
        left[thread] -= 1;
        let mut needs = Vec::new();
        for _ in 0..=random.below(2) {
            let other = random.below(threads);
            let done = order.threads[other].len();
            if other != thread && done > 0 && random.below(8) < needy {
                needs.push(Need {
                    thread: other,
                    done: 1 + random.below(done).max(random.below(done)),
                });
            }
        }
        order.threads[thread].push(Piece { needs });
    }
    order
}

/// How far a thread gets; written again, so as not to trust what is tested.
fn advance(order: &Order, done: &[usize], thread: usize) -> usize {
    let mut at = done[thread];
    while let Some(piece) = order.threads[thread].get(at)
        && piece
            .needs
            .iter()
            .all(|need| done[need.thread] >= need.done)
    {
        at += 1;
    }
    at
}

/// The fewest turns, by going through all that can happen.
fn fewest(order: &Order) -> usize {
    let all: Vec<usize> = order.threads.iter().map(Vec::len).collect();
    let mut first = vec![0; all.len()];
    first[0] = advance(order, &first, 0);
    let mut level = HashSet::from([first]);
    let mut turns = 1;
    while !level.contains(&all) {
        let mut next = HashSet::new();
        for done in &level {
            for thread in 0..all.len() {
                // Stopping early is tried as well: that it never helps is ours
                // to show.
                for at in done[thread] + 1..=advance(order, done, thread) {
                    let mut after = done.clone();
                    after[thread] = at;
                    next.insert(after);
                }
            }
        }
        assert!(!next.is_empty(), "every random order can be gone through");
        level = next;
        turns += 1;
    }
    turns
}

/// Goes through the turns and sees that everything gets done.
fn assert_complete(order: &Order, turns: &[usize]) {
    let mut done = vec![0; order.threads.len()];
    for (index, thread) in turns.iter().enumerate() {
        let after = advance(order, &done, *thread);
        assert!(index == 0 || after > done[*thread], "a turn for nothing");
        done[*thread] = after;
    }
    let all: Vec<usize> = order.threads.iter().map(Vec::len).collect();
    assert_eq!(done, all);
}

#[derive(Default)]
struct Tally {
    optimal: usize,
    extra: usize,
    worst: usize,
}

impl Tally {
    fn add(&mut self, turns: usize, fewest: usize) {
        assert!(turns >= fewest);
        self.optimal += usize::from(turns == fewest);
        self.extra += turns - fewest;
        self.worst = self.worst.max(turns - fewest);
    }
}

#[test]
fn the_search_is_near_the_optimum() {
    const CASES: usize = 2000;
    let mut random = Random(0x5eed_1234_5678_9abc);
    let (mut wide, mut narrow, mut bound) = (Tally::default(), Tally::default(), 0);
    let mut total = 0;
    for _ in 0..CASES {
        let order = random_order(&mut random);
        let fewest = fewest(&order);
        let turns = order.turns();
        assert_complete(&order, &turns);
        wide.add(turns.len(), fewest);
        let greedy = order.turns_with_beam(1);
        assert_complete(&order, &greedy);
        narrow.add(greedy.len(), fewest);
        assert!(order.lower_bound() <= fewest, "{order:?}");
        bound += usize::from(order.lower_bound() == fewest);
        total += fewest;
    }
    println!("{CASES} random orders, {total} turns at least");
    for (name, tally) in [("the search", &wide), ("a beam of one", &narrow)] {
        println!(
            "{name}: the fewest in {}, {} turns too many in all, at worst {}",
            tally.optimal, tally.extra, tally.worst
        );
    }
    println!("the lower bound is the fewest in {bound}");
    assert_eq!(wide.optimal, CASES);
    assert!(narrow.optimal * 10 >= CASES * 9);
}

/// Threads that wait for several others were once looked at again and again, in
/// numbers that doubled.
#[test]
fn long_orders_are_gone_through() {
    let mut random = Random(0x1005_5eed_1234_5678);
    let mut order = Order {
        threads: vec![vec![Piece::default()]; 8],
    };
    for _ in 0..20_000 {
        let thread = random.below(8);
        let others = [random.below(8), random.below(8), random.below(8)];
        let others = others.into_iter().filter(|other| *other != thread);
        let needs = others.map(|other| Need {
            thread: other,
            done: order.threads[other].len(),
        });
        let needs = needs.collect();
        order.threads[thread].push(Piece { needs });
    }
    let turns = order.turns();
    assert_complete(&order, &turns);
    assert!(turns.len() >= order.lower_bound());
}
