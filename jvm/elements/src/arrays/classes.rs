//! Classes of values that may be the same, and what their arrays have as elements.

use super::UNKNOWN;

const NONE: u32 = u32::MAX;

/// Disjoint sets. Whoever joins two joins what they have as elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    above: Vec<u32>,
    elements: Vec<u32>,
    marked: Vec<bool>,
}

impl Classes {
    /// With the class of what is unknown, whose elements are unknown.
    pub(crate) fn new() -> Self {
        let mut classes = Self::default();
        let unknown = classes.add();
        debug_assert_eq!(unknown, UNKNOWN);
        if let Some(elements) = classes.elements.first_mut() {
            *elements = UNKNOWN;
        }
        if let Some(marked) = classes.marked.first_mut() {
            *marked = true;
        }
        classes
    }

    pub(crate) fn add(&mut self) -> u32 {
        let class = u32::try_from(self.above.len()).unwrap_or(NONE - 1);
        self.above.push(class);
        self.elements.push(NONE);
        self.marked.push(false);
        class
    }

    /// Which class stands for all that were joined.
    pub(crate) fn find(&mut self, class: u32) -> u32 {
        let top = self.find_only(class);
        let mut at = class;
        while at != top {
            let Some(above) = self.above.get_mut(at as usize) else {
                break;
            };
            at = std::mem::replace(above, top);
        }
        top
    }

    pub(crate) fn find_only(&self, mut class: u32) -> u32 {
        while let Some(above) = self.above.get(class as usize) {
            if *above == class {
                break;
            }
            class = *above;
        }
        class
    }

    /// Two classes are one from now on.
    pub(crate) fn join(&mut self, one: u32, other: u32) {
        let mut left = vec![(one, other)];
        while let Some((one, other)) = left.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            // The lower one stands for both: what is unknown is the lowest.
            let (top, below) = (one.min(other), one.max(other));
            let both = [top, below].map(|at| self.elements.get(at as usize).copied());
            let marked = self.is_marked(below);
            if let Some(above) = self.above.get_mut(below as usize) {
                *above = top;
            }
            if let Some(mark) = self.marked.get_mut(top as usize) {
                *mark |= marked;
            }
            match both {
                [Some(NONE), Some(elements)] => {
                    if let Some(of_top) = self.elements.get_mut(top as usize) {
                        *of_top = elements;
                    }
                }
                [Some(one), Some(other)] if other != NONE => left.push((one, other)),
                _ => {}
            }
        }
    }

    /// The class of what arrays of a class have as elements.
    pub(crate) fn elements(&mut self, class: u32) -> u32 {
        let class = self.find(class);
        match self.elements.get(class as usize) {
            Some(&NONE) | None => {
                let elements = self.add();
                if let Some(of_class) = self.elements.get_mut(class as usize) {
                    *of_class = elements;
                }
                elements
            }
            Some(&elements) => self.find(elements),
        }
    }

    /// Marks classes, and all that is in their arrays.
    pub(crate) fn spread(&mut self, from: &[u32]) {
        let mut left: Vec<u32> = from.to_vec();
        left.extend(
            (0..self.above.len())
                .filter_map(|class| u32::try_from(class).ok())
                .filter(|class| self.is_marked(*class)),
        );
        let mut seen = vec![false; self.above.len()];
        while let Some(class) = left.pop() {
            let class = self.find(class);
            let Some(seen) = seen.get_mut(class as usize) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            if let Some(mark) = self.marked.get_mut(class as usize) {
                *mark = true;
            }
            left.extend(self.elements.get(class as usize).filter(|of| **of != NONE));
        }
    }

    pub(crate) fn is_marked(&self, class: u32) -> bool {
        self.marked.get(class as usize).copied().unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_has_the_same_elements() {
        let mut classes = Classes::new();
        let [a, b, c] = [(); 3].map(|()| classes.add());
        let (of_a, of_b) = (classes.elements(a), classes.elements(b));
        assert_ne!(classes.find(of_a), classes.find(of_b));
        classes.join(a, b);
        assert_eq!(classes.find(of_a), classes.find(of_b));
        assert_ne!(classes.find(a), classes.find(c));
        classes.join(c, UNKNOWN);
        let of_c = classes.elements(c);
        assert_eq!(classes.find(of_c), UNKNOWN);
    }

    #[test]
    fn an_array_that_is_an_element_of_itself_is_no_trouble() {
        let mut classes = Classes::new();
        let a = classes.add();
        let inner = classes.elements(a);
        classes.join(inner, a);
        assert_eq!(classes.elements(a), classes.find(a));
        classes.spread(&[a]);
        assert!(classes.is_marked(classes.find_only(inner)));
    }

    #[test]
    fn a_mark_goes_down_to_the_elements_and_not_up() {
        let mut classes = Classes::new();
        let (a, outer) = (classes.add(), classes.add());
        let b = classes.elements(a);
        let elements = classes.elements(outer);
        classes.join(elements, a);
        classes.spread(&[a]);
        assert!(classes.is_marked(classes.find_only(b)));
        assert!(!classes.is_marked(classes.find_only(outer)));
    }
}
