//! The bytecodes that have to do with shared program elements, and their text.
//!
//! `reprise` writes the text, the agent reads it. Words are separated by tabs:
//!
//! ```text
//! site  ELEMENT access|enter|method|call|wait|acquire  CLASS METHOD DESCRIPTOR OFFSET
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a bytecode does with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Reads or writes it, or makes a call of it that does not block.
    Access,
    /// Enters a monitor.
    Enter,
    /// Is in a synchronized method. Has no bytecode of its own: the offset is 0.
    Method,
    /// Calls such a method.
    Call,
    /// Waits in a monitor, which it then enters again.
    Wait,
    /// Makes a call of the JDK that may block.
    Acquire,
}

impl Deed {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Access, "access"),
        (Self::Enter, "enter"),
        (Self::Method, "method"),
        (Self::Call, "call"),
        (Self::Wait, "wait"),
        (Self::Acquire, "acquire"),
    ];

    fn word(self) -> &'static str {
        let found = Self::ALL.iter().find(|(deed, _)| *deed == self);
        found.map_or("", |(_, word)| word)
    }
}

/// A bytecode that has to do with an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Which element.
    pub element: u32,
    /// What is done with it.
    pub deed: Deed,
    /// The method's name.
    pub method: String,
    /// And descriptor.
    pub descriptor: String,
    /// The offset of the bytecode.
    pub offset: u32,
}

/// Sites by class, with slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites(pub BTreeMap<String, Vec<Site>>);

impl Sites {
    /// Those of some elements.
    #[must_use]
    pub fn of(&self, elements: impl Fn(u32) -> bool) -> Self {
        let mut chosen = BTreeMap::new();
        for (class, sites) in &self.0 {
            let sites: Vec<Site> = sites
                .iter()
                .filter(|site| elements(site.element))
                .cloned()
                .collect();
            if !sites.is_empty() {
                chosen.insert(class.clone(), sites);
            }
        }
        Self(chosen)
    }

    /// The sites of a class.
    #[must_use]
    pub fn class(&self, name: &str) -> &[Site] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text. What has a control character in its name is left out.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = String::new();
        for (class, sites) in &self.0 {
            for site in sites {
                let Site {
                    element,
                    method,
                    descriptor,
                    offset,
                    deed,
                } = site;
                let names = [class, method, descriptor];
                if names.iter().any(|name| name.contains(char::is_control)) {
                    continue;
                }
                let deed = deed.word();
                let _ = writeln!(
                    text,
                    "site\t{element}\t{deed}\t{class}\t{method}\t{descriptor}\t{offset}"
                );
            }
        }
        text
    }

    /// From a text; lines that say nothing are left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut sites = Self::default();
        for line in text.lines() {
            if let Some((class, site)) = read(line) {
                sites.0.entry(class).or_default().push(site);
            }
        }
        sites
    }
}

fn read(line: &str) -> Option<(String, Site)> {
    let mut words = line.split('\t');
    if words.next() != Some("site") {
        return None;
    }
    let element = words.next()?.parse().ok()?;
    let word = words.next()?;
    let deed = Deed::ALL.iter().find(|(_, known)| *known == word)?.0;
    let mut word = || words.next().map(str::to_owned);
    let class = word()?;
    let site = Site {
        element,
        deed,
        method: word()?,
        descriptor: word()?,
        offset: word()?.parse().ok()?,
    };
    Some((class, site))
}
