//! The name that was probably meant.

/// The longest names that are compared; the work grows with the square.
const LONGEST: usize = 200;

/// The name in `known` that takes the fewest edits to get from `name`, unless
/// even that takes more than a third of it.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(LONGEST).collect();
    let allowed = (name.len() / 3).max(1);
    known
        .filter(|known| known.len() <= LONGEST && known.len().abs_diff(name.len()) <= 2 * allowed)
        .map(|known| (distance(&name, known), known))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, known)| known)
}

/// How many letters have to be changed, added, removed or swapped with their
/// neighbour.
fn distance(from: &[char], to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (above[j] + usize::from(a != b))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = above;
        above = row;
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_was_meant_is_found_and_nothing_far_away() {
        let known = ["Producer", "Consumer", "Main"];
        let find = |name| nearest(name, known.into_iter());
        assert_eq!(find("Porducer"), Some("Producer"));
        assert_eq!(find("consumer"), Some("Consumer"));
        assert_eq!(find("Mian"), Some("Main"));
        assert_eq!(find("Buffer"), None);
        assert_eq!(find(""), None);
    }
}
