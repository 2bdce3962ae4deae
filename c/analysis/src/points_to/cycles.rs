//! Values that flow to each other in circles have the same objects: one of them stands for
//! all. Without that, large programs take minutes. The order in which circles are found is
//! also the one in which news go through the rest.

use std::cmp::Reverse;

use super::Solver;
use crate::model::{NOTHING, UNKNOWN, Var};

/// Where a value is on the way through the graph.
#[derive(Clone, Copy, Default)]
struct Place {
    /// When it was reached, from 1; 0 if it was not.
    reached: u32,
    /// The first that can be reached from it.
    first: u32,
    on_the_way: bool,
}

impl Solver<'_> {
    /// Finds all circles, has one value stand for each, and puts values in order.
    pub(super) fn find_circles(&mut self) {
        let mut places = vec![Place::default(); self.nodes.len()];
        let mut time = 0;
        let mut found: Vec<Vec<Var>> = Vec::new();
        // A circle is left when all that can be reached from it was.
        let mut left = u32::MAX;
        // Values whose circle is not known yet.
        let mut open: Vec<Var> = Vec::new();
        for start in 0..self.nodes.len() as u32 {
            if self.now(start) != start || places[start as usize].reached != 0 {
                continue;
            }
            // A value, and how many of its edges were looked at.
            let mut way: Vec<(Var, usize)> = vec![(start, 0)];
            while let Some((var, edge)) = way.last_mut() {
                let (var, at) = (*var, *edge);
                *edge += 1;
                if at == 0 {
                    time += 1;
                    places[var as usize] = Place {
                        reached: time,
                        first: time,
                        on_the_way: true,
                    };
                    open.push(var);
                }
                if let Some(to) = self.nodes[var as usize].to.get(at) {
                    let to = self.now(*to);
                    let next = places[to as usize];
                    if next.reached == 0 {
                        way.push((to, 0));
                    } else if next.on_the_way {
                        let mine = &mut places[var as usize];
                        mine.first = mine.first.min(next.reached);
                    }
                    continue;
                }
                way.pop();
                let mine = places[var as usize];
                if let Some((before, _)) = way.last() {
                    let before = &mut places[*before as usize];
                    before.first = before.first.min(mine.first);
                }
                if mine.first == mine.reached {
                    let from = open.iter().rposition(|one| *one == var).unwrap_or(0);
                    let circle = open.split_off(from);
                    left -= 1;
                    for one in &circle {
                        places[*one as usize].on_the_way = false;
                        self.order[*one as usize] = left;
                    }
                    if circle.len() > 1 {
                        found.push(circle);
                    }
                }
            }
        }
        for circle in found {
            self.join(&circle);
        }
        // What has escaped is better known at once: nobody has to name it from there on.
        let unknown = self.unknown();
        self.order[unknown as usize] = 0;
        let work = std::mem::take(&mut self.work).into_iter();
        let again = work.map(|Reverse((_, var))| Reverse((self.order[var as usize], var)));
        self.work = again.collect();
    }

    /// One stands for all of them, which is not the content of an object: that may become
    /// the content of all escaped ones.
    fn join(&mut self, circle: &[Var]) {
        let mut others = circle.iter().filter(|one| !self.is_content[**one as usize]);
        let Some(first) = others.next() else {
            return;
        };
        // Nothing flows out of these by edges.
        let special = [NOTHING, self.unknown()];
        if circle.iter().any(|one| special.contains(one)) {
            return;
        }
        for other in circle.iter().filter(|one| *one != first) {
            self.stands[*other as usize] = *first;
            let old = std::mem::take(&mut self.nodes[*other as usize]);
            let node = &mut self.nodes[*first as usize];
            node.has.take(&old.has, &mut node.news);
            node.to.extend(old.to);
            node.shifts.extend(old.shifts);
            node.loads.extend(old.loads);
            node.stores.extend(old.stores);
            node.calls.extend(old.calls);
        }
        let to: Vec<Var> = std::mem::take(&mut self.nodes[*first as usize].to);
        let mut to: Vec<Var> = to.into_iter().map(|one| self.now(one)).collect();
        to.sort_unstable();
        to.dedup();
        to.retain(|one| one != first);
        let node = &mut self.nodes[*first as usize];
        node.to = to;
        node.shifts.sort_unstable();
        node.shifts.dedup();
        for all in [&mut node.loads, &mut node.stores] {
            // Those of the same words are beside each other.
            all.sort_unstable_by_key(|(var, span)| (*span, *var));
            all.dedup();
        }
        // What one of them had was not looked at by the others.
        self.again(*first);
    }

    /// The content of an object has escaped. What it shared with others goes to and comes
    /// from there.
    pub(super) fn escape_circle(&mut self, own: Var) {
        let mut first = own;
        while self.stands[first as usize] != first {
            first = self.stands[first as usize];
        }
        if first != own {
            let unknown = self.unknown();
            self.edge(first, unknown);
            self.point(first, UNKNOWN);
        }
    }
}
