//! Which orders follow from others, by vector clocks.

use std::collections::{HashMap, HashSet, VecDeque};

/// A stop: the thread, and which of its stops.
pub(super) type Stop = (usize, usize);

/// One thread comes to a stop before another goes on at one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub(super) from: Stop,
    pub(super) to: Stop,
    /// Given up before others, and not counted.
    pub(super) soft: bool,
}

/// How many numbers the clocks may have; with more, fewer orders are found to be of no use.
const NUMBERS: usize = 1 << 26;

/// Without edges that follow from others, and without those that would make threads wait for
/// one another, of which it says how many. `lengths` has how many stops each thread has.
pub(super) fn reduced(lengths: &[usize], mut edges: Vec<Edge>) -> (Vec<Edge>, usize) {
    edges.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.soft));
    edges.dedup_by_key(|edge| (edge.to, edge.from));
    let mut senders: HashMap<Stop, usize> = HashMap::new();
    for edge in &edges {
        let next = senders.len();
        senders.entry(edge.from).or_insert(next);
    }
    // Each thread has a clock, and each stop that others follow.
    let clocks = senders.len() + lengths.len();
    let width = match clocks.saturating_mul(lengths.len()) > NUMBERS {
        true => 0,
        false => lengths.len(),
    };
    let mut walk = Walk {
        edges: &edges,
        width,
        kept: Vec::new(),
        given_up: 0,
        gone: HashSet::new(),
        reached: vec![0; lengths.len()],
        clocks: lengths.iter().map(|_| vec![0; width]).collect(),
        seen: HashMap::new(),
        sent: HashMap::new(),
        senders: &senders,
    };
    walk.run(lengths);
    (walk.kept, walk.given_up)
}

struct Walk<'e> {
    edges: &'e [Edge],
    /// How many numbers a clock has.
    width: usize,
    kept: Vec<Edge>,
    given_up: usize,
    /// Those and the soft ones.
    gone: HashSet<Edge>,
    /// Per thread: how many of its stops it has come to.
    reached: Vec<usize>,
    /// Per thread: how many stops of each it is known to come after.
    clocks: Vec<Vec<u32>>,
    /// The same, as far as edges to the thread itself say, by it and the other.
    seen: HashMap<(usize, usize), usize>,
    /// The clocks at stops that others follow.
    sent: HashMap<Stop, Vec<u32>>,
    senders: &'e HashMap<Stop, usize>,
}

impl Walk<'_> {
    fn run(&mut self, lengths: &[usize]) {
        let mut queue: VecDeque<usize> = (0..lengths.len()).collect();
        // Whoever waits for a thread looks again when it has come to that stop.
        let mut waiting: HashMap<Stop, Vec<usize>> = HashMap::new();
        let mut arrived = vec![false; lengths.len()];
        let mut first = 0;
        loop {
            while let Some(thread) = queue.pop_front() {
                while self.reached[thread] < lengths[thread] {
                    let stop = (thread, self.reached[thread]);
                    if !arrived[thread] {
                        // Who comes to a stop sends there, before it waits.
                        arrived[thread] = true;
                        self.arrive(stop);
                        queue.extend(waiting.remove(&stop).unwrap_or_default());
                    }
                    if let Some(unmet) = self.unmet(stop, &arrived) {
                        waiting.entry(unmet.from).or_default().push(thread);
                        break;
                    }
                    self.wait(stop);
                    self.reached[thread] += 1;
                    arrived[thread] = false;
                }
            }
            // Those before have come to their ends, and stay there.
            let open = |t: &usize| self.reached[*t] < lengths[*t];
            let Some(least) = (first..lengths.len()).find(open) else {
                return;
            };
            first = least;
            // Threads wait for one another in a circle: one of them does not.
            let Some(edge) = self.given_up(least, &arrived) else {
                return;
            };
            let stuck = edge.to.0;
            self.given_up += usize::from(!edge.soft);
            self.gone.insert(edge);
            queue.push_back(stuck);
        }
    }

    /// An edge of a circle in which threads wait for one another, if possible of one that should
    /// wait and need not. That thread is in it or waits for who is.
    fn given_up(&self, thread: usize, arrived: &[bool]) -> Option<Edge> {
        let mut path: Vec<Edge> = Vec::new();
        let mut at = thread;
        let mut places: HashMap<usize, usize> = HashMap::new();
        loop {
            if let Some(begins) = places.insert(at, path.len()) {
                let mut circle = path.get(begins..)?.iter();
                let soft = circle.clone().find(|edge| edge.soft);
                return soft.or_else(|| circle.next()).copied();
            }
            let edge = self.unmet((at, self.reached[at]), arrived)?;
            path.push(edge);
            at = edge.from.0;
        }
    }

    /// The edges to a stop.
    fn needs(&self, stop: Stop) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.to < stop);
        let end = self.edges.partition_point(|edge| edge.to <= stop);
        self.edges.get(start..end).unwrap_or_default()
    }

    fn is_met(&self, edge: &Edge, arrived: &[bool]) -> bool {
        let (thread, stop) = edge.from;
        let come = self.reached[thread] + usize::from(arrived[thread]);
        stop < come || self.gone.contains(edge)
    }

    /// An edge to a stop whose thread has not come far enough.
    fn unmet(&self, stop: Stop, arrived: &[bool]) -> Option<Edge> {
        let mut needs = self.needs(stop).iter();
        needs.find(|edge| !self.is_met(edge, arrived)).copied()
    }

    fn arrive(&mut self, stop: Stop) {
        let (thread, number) = stop;
        if let Some(own) = self.clocks[thread].get_mut(thread) {
            *own = u32::try_from(number + 1).unwrap_or(u32::MAX);
        }
        if self.width > 0 && self.senders.contains_key(&stop) {
            self.sent.insert(stop, self.clocks[thread].clone());
        }
    }

    /// Takes in what a thread learns at a stop, but for what is given up.
    fn wait(&mut self, stop: Stop) {
        let thread = stop.0;
        let needs: Vec<Edge> = self
            .needs(stop)
            .iter()
            .filter(|edge| !self.gone.contains(edge))
            .copied()
            .collect();
        for edge in &needs {
            let (from, number) = edge.from;
            let clock = |clock: &[u32]| {
                clock
                    .get(from)
                    .is_some_and(|known| usize::try_from(*known).unwrap_or(0) > number)
            };
            let others = needs.iter().filter(|other| other.from.0 != from);
            let mut others = others.filter_map(|other| self.sent.get(&other.from));
            // Of several stops of one thread the last says it all.
            let later = needs
                .iter()
                .any(|other| other.from.0 == from && other.from.1 > number);
            let seen = self.seen.get(&(thread, from)).copied().unwrap_or(0);
            let known = seen > number || clock(&self.clocks[thread]);
            if !(later || known || others.any(|other| clock(other))) {
                self.kept.push(*edge);
            }
        }
        for edge in &needs {
            let (from, number) = edge.from;
            let seen = self.seen.entry((thread, from)).or_default();
            *seen = (*seen).max(number + 1);
            if let Some(sent) = self.sent.get(&edge.from) {
                for (own, other) in self.clocks[thread].iter_mut().zip(sent) {
                    *own = (*own).max(*other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Edge, reduced};

    /// A server may have a thread for each request: neither time nor memory goes with the
    /// square of their number.
    #[test]
    fn many_threads_are_no_matter() {
        let threads = 40_000;
        let mut lengths = vec![2; threads];
        lengths[0] = 2 * threads;
        let edges = (1..threads).flat_map(|thread| {
            let starts = (0, 2 * thread);
            let joins = (0, 2 * thread + 1);
            [
                (starts, (thread, 0)),
                // Says nothing new.
                (starts, (thread, 1)),
                ((thread, 1), joins),
            ]
        });
        let soft = false;
        let edge = |(from, to)| Edge { from, to, soft };
        let edges: Vec<Edge> = edges.map(edge).collect();
        let (kept, given_up) = reduced(&lengths, edges);
        assert_eq!(kept.len(), 2 * (threads - 1));
        assert_eq!(given_up, 0);
    }

    /// Who waits for a circle is not in it, and keeps all of its orders.
    #[test]
    fn only_an_order_of_the_circle_is_given_up() {
        let edge = |from, to| Edge {
            from,
            to,
            soft: false,
        };
        let waits = edge((1, 1), (0, 0));
        let also = edge((2, 1), (0, 0));
        let circle = [edge((2, 1), (1, 0)), edge((1, 1), (2, 0))];
        let (kept, given_up) = reduced(&[1, 2, 2], vec![waits, also, circle[0], circle[1]]);
        assert_eq!(given_up, 1);
        assert!(kept.contains(&waits) || kept.contains(&also), "{kept:?}");
        assert_eq!(kept.iter().filter(|edge| circle.contains(edge)).count(), 1);
    }

    /// Of two threads that would wait for one another the one goes on that only should wait.
    #[test]
    fn what_only_should_be_is_given_up_first_and_not_counted() {
        let edge = |from, to, soft| Edge { from, to, soft };
        let hard = edge((1, 1), (0, 0), false);
        let soft = edge((0, 1), (1, 0), true);
        assert_eq!(reduced(&[2, 2], vec![soft, hard]), (vec![hard], 0));
        let other = edge((0, 1), (1, 0), false);
        assert_eq!(reduced(&[2, 2], vec![other, hard]).1, 1);
    }
}
