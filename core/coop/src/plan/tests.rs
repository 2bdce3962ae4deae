//! The guarantees of each plan.

use proptest::prelude::*;

use super::*;

fn spread(values: &[u64]) -> u64 {
    let most = values.iter().max().copied().unwrap_or(0);
    most - values.iter().min().copied().unwrap_or(0)
}

#[test]
fn by_hand() {
    let plan = random(4, 2, 0.5, 1).unwrap();
    // Two users, half each: together everything, once.
    assert_eq!(plan.coverage(), [1, 1, 1, 1]);
    let plan = fixed(4, 3, 0.5, &[Spe(3)], 1).unwrap();
    assert_eq!(plan.coverage(), [1, 1, 1, 3]);
    // 6 + 2 and 5 + 3, whoever gets them.
    let plan = balanced(&[6, 5, 3, 2], 2, 0.5, 1).unwrap();
    assert_eq!(plan.costs(&[6, 5, 3, 2]), [8, 8]);
    assert_eq!(plan.coverage(), [1, 1, 1, 1]);
}

#[test]
fn impossible_plans_are_named() {
    assert_eq!(random(4, 2, 0.0, 1), Err(PlanError::Share(0.0)));
    assert_eq!(random(4, 2, 1.1, 1), Err(PlanError::Share(1.1)));
    assert!(matches!(
        random(4, 2, f64::NAN, 1),
        Err(PlanError::Share(_))
    ));
    assert!(matches!(
        random(u32::MAX, 2, 0.5, 1),
        Err(PlanError::Spes(_))
    ));
    assert_eq!(fixed(4, 2, 0.5, &[Spe(4)], 1), Err(PlanError::Common(4)));
    assert_eq!(
        fixed(4, 2, 0.5, &[Spe(1), Spe(1)], 1),
        Err(PlanError::Common(1))
    );
    let (common, share) = (3, 2);
    let found = fixed(4, 2, 0.5, &[Spe(0), Spe(1), Spe(2)], 1);
    assert_eq!(found, Err(PlanError::CommonTooLarge { common, share }));
}

#[test]
fn small_cases_are_no_trouble() {
    assert_eq!(random(0, 2, 0.5, 1).unwrap().shares(), [vec![], vec![]]);
    assert_eq!(random(3, 0, 0.5, 1).unwrap().shares().len(), 0);
    assert_eq!(balanced(&[], 2, 0.5, 1).unwrap().shares(), [vec![], vec![]]);
    assert_eq!(balanced(&[1], 0, 0.5, 1).unwrap().shares().len(), 0);
    assert_eq!(
        random(9, 1, 0.01, 1).unwrap().shares()[0].len(),
        1,
        "never nothing"
    );
    assert_eq!(
        balanced(&[u64::MAX; 3], 2, 1.0, 1).unwrap().shares().len(),
        2
    );
}

#[test]
fn shares_are_random() {
    // How often two SPEs are in one share, over many users: all pairs alike.
    let plan = random(10, 4000, 0.3, 7).unwrap();
    let together = |a, b| {
        let both = |share: &&Vec<Spe>| share.contains(&Spe(a)) && share.contains(&Spe(b));
        plan.shares().iter().filter(both).count()
    };
    // 4000 × 3/10 × 2/9 = 267 for each pair, with a deviation of about 16.
    for a in 0..10 {
        for b in 0..a {
            assert!(
                (180..350).contains(&together(a, b)),
                "{a} and {b}: {}",
                together(a, b)
            );
        }
    }
    assert_ne!(random(10, 4, 0.3, 7), random(10, 4, 0.3, 8));
}

proptest! {
    #[test]
    fn random_shares_cover_everything_alike(spes in 1..60_u32, users in 0..40_usize, share in 0.01..=1.0_f64, seed: u64) {
        let plan = random(spes, users, share, seed).unwrap();
        let size = ((f64::from(spes) * share).round() as usize).max(1);
        for share in plan.shares() {
            prop_assert_eq!(share.len(), size);
            prop_assert!(share.is_sorted_by(|a, b| a < b), "no SPE twice");
        }
        let least = (users * size / spes as usize) as u32;
        let coverage = plan.coverage();
        prop_assert!(coverage.iter().all(|&times| times == least || times == least + 1));
        prop_assert_eq!(plan, random(spes, users, share, seed).unwrap());
    }

    #[test]
    fn fixed_shares_overlap(spes in 1..60_u32, users in 1..40_usize, share in 0.01..=1.0_f64, common in 0..60_usize, seed: u64) {
        let size = ((f64::from(spes) * share).round() as usize).max(1);
        let common: Vec<Spe> = (0..spes).map(Spe).take(common.min(size)).collect();
        let plan = fixed(spes, users, share, &common, seed).unwrap();
        for share in plan.shares() {
            prop_assert_eq!(share.len(), size);
            prop_assert!(share.is_sorted_by(|a, b| a < b));
            prop_assert!(common.iter().all(|spe| share.contains(spe)));
        }
        let others = spes as usize - common.len();
        if let Some(least) = (users * (size - common.len())).checked_div(others) {
            let least = least as u32;
            let coverage = plan.coverage();
            prop_assert!(coverage[common.len()..].iter().all(|&times| times == least || times == least + 1));
        }
    }

    #[test]
    fn balanced_shares_cost_the_same(profile in proptest::collection::vec(0..1000_u64, 1..60), users in 1..40_usize, share in 0.01..=1.0_f64, seed: u64) {
        let plan = balanced(&profile, users, share, seed).unwrap();
        let times = ((users as f64 * share).round() as u32).max(1);
        prop_assert!(plan.coverage().iter().all(|&covered| covered == times));
        let costs = plan.costs(&profile);
        let largest = profile.iter().max().copied().unwrap();
        prop_assert!(spread(&costs) <= largest);
        let all: u64 = profile.iter().sum();
        prop_assert_eq!(costs.iter().sum::<u64>(), all * u64::from(times));
        for share in plan.shares() {
            prop_assert!(share.is_sorted_by(|a, b| a < b));
        }
    }
}

#[test]
fn a_profile_makes_costs_alike() {
    // Accesses as they are: a few SPEs have most of them.
    let profile: Vec<u64> = (1..=200)
        .map(|rank| 1_000_000 / (rank * rank) + 1)
        .collect();
    let by_count = random(200, 40, 0.25, 3).unwrap().costs(&profile);
    let by_cost = balanced(&profile, 40, 0.25, 3).unwrap().costs(&profile);
    assert!(spread(&by_cost) <= 1_000_001);
    assert!(spread(&by_cost) <= spread(&by_count));
}
