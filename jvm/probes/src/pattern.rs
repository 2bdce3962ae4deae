//! Which classes are inside: the patterns of `--observe`.
//!
//! ```text
//! com.acme.Cart      this class
//! com.acme.*         the classes of this package
//! com.acme.**        and those of all packages below it
//! !com.acme.Log      not this one, whatever the others say
//! ```
//! A nest is inside as a whole: a nested class follows its outermost class, so
//! that private members never cross the boundary. It is found by name, up to
//! the first `$`, because a class is judged where only its name is known (a
//! call site names classes that are not loaded yet). For the same reason the
//! hidden class of a lambda, `Cart$$Lambda/0x…`, is inside with its host. A
//! class with a `$` of its own in its name is judged by what stands before it.
//!
//! Classes of the JDK itself cannot be inside: the runtime uses them.

use std::fmt;

use crate::volatile::Sharing;

/// All patterns of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    /// The fields of what is inside whose uses are kept in order.
    pub sharing: Sharing,
    /// The string builders whose calls are not recorded.
    pub builders: Builders,
}

/// Which string builders that a method makes for itself run for real.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builders {
    /// All their calls are recorded, as in the first recordings.
    #[default]
    None,
    /// Those that are not on the stack where paths meet.
    Straight,
    /// These, too, if all paths have them there.
    Followed,
}

impl Builders {
    /// As it stands in a recording; what is not known there is all that is.
    #[must_use]
    pub fn of(number: u64) -> Self {
        match number {
            0 => Self::None,
            1 => Self::Straight,
            _ => Self::Followed,
        }
    }
}

/// One pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// As it was written.
    text: String,
    excludes: bool,
    scope: Scope,
}

/// With slashes, as in class files.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Scope {
    Class(String),
    /// `a/b/`, or nothing for classes without a package.
    Package(String),
    Below(String),
}

/// Why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing.
    #[error("an empty pattern")]
    Empty,
    /// A `*` that is not at the end, or not alone there.
    #[error("'{text}': a '*' or '**' can only stand alone at the end, as in 'com.acme.**'")]
    Star {
        /// The pattern.
        text: String,
    },
    /// Something that no class name contains.
    #[error("'{text}': {found:?} cannot be part of a class name")]
    Character {
        /// The pattern.
        text: String,
        /// The character.
        found: char,
    },
    /// Several in one.
    #[error(
        "'{text}' are several patterns: give each its own 'observe', or all in a file as @FILE"
    )]
    Several {
        /// The pattern.
        text: String,
    },
    /// Only exclusions.
    #[error("'{text}' excludes classes, but no pattern includes any")]
    OnlyExcludes {
        /// The first exclusion.
        text: String,
    },
}

/// Packages that the runtime itself stands on.
const NEVER: &[&str] = &["java/", "jdk/", "sun/", "reprise/ahead/"];

/// What the JDK has of two packages in which programs and their libraries have
/// classes, too: servlets, persistence and injection; mail, JNA and expressions.
/// Of JDK 11 to 25, all modules.
const SHARED: &[(&str, &[&str])] = &[
    (
        "javax/",
        &[
            "accessibility/",
            "annotation/processing/",
            "crypto/",
            "imageio/",
            "lang/model/",
            "management/",
            "naming/",
            "net/",
            "print/",
            "rmi/ssl/",
            "script/",
            "security/auth/",
            "security/cert/",
            "security/sasl/",
            "smartcardio/",
            "sound/",
            "sql/",
            "swing/",
            "tools/",
            "transaction/xa/",
            "xml/XMLConstants",
            "xml/catalog/",
            "xml/crypto/",
            "xml/datatype/",
            "xml/namespace/",
            "xml/parsers/",
            "xml/stream/",
            "xml/transform/",
            "xml/validation/",
            "xml/xpath/",
        ],
    ),
    (
        "com/sun/",
        &[
            "accessibility/",
            "beans/",
            "crypto/",
            "imageio/",
            "jarsigner/",
            "java/",
            "java_cup/",
            "jdi/",
            "jmx/",
            "jndi/",
            "management/",
            "media/",
            "naming/",
            "net/",
            "nio/",
            "org/",
            "proxy/",
            "rowset/",
            "security/",
            "source/",
            "swing/",
            "tools/",
            "xml/internal/",
        ],
    ),
];

/// Whether a class belongs to the JDK or to the runtime, by its name.
#[must_use]
pub fn is_platform(name: &str) -> bool {
    let shared = |(package, parts): &(&str, &[&str])| {
        let rest = name.strip_prefix(package);
        rest.is_some_and(|rest| parts.iter().any(|part| rest.starts_with(part)))
    };
    NEVER.iter().any(|package| name.starts_with(package)) || SHARED.iter().any(shared)
}

/// The patterns of a list, one a line; `#` begins a comment.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    lines.map(str::trim).filter(|line| !line.is_empty())
}

impl Pattern {
    /// Reads one pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let (excludes, name) = match text.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, text),
        };
        if name.is_empty() {
            return Err(PatternError::Empty);
        }
        let star = || PatternError::Star { text: text.into() };
        let bad = |found| PatternError::Character {
            text: text.into(),
            found,
        };
        if let Some(found) = name.chars().find(|c| ",;[/: \t<>\"'".contains(*c)) {
            return Err(match found {
                ',' | ';' | ':' | ' ' => PatternError::Several { text: text.into() },
                _ => bad(found),
            });
        }
        if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
            return Err(bad('.'));
        }
        let name = name.replace('.', "/");
        let scope = if let Some(package) = name.strip_suffix("**") {
            Scope::Below(package.to_owned())
        } else if let Some(package) = name.strip_suffix('*') {
            Scope::Package(package.to_owned())
        } else {
            Scope::Class(outermost(&name).to_owned())
        };
        let (Scope::Class(place) | Scope::Package(place) | Scope::Below(place)) = &scope;
        let whole = matches!(scope, Scope::Class(_)) || place.is_empty() || place.ends_with('/');
        if place.contains('*') || !whole {
            return Err(star());
        }
        Ok(Self {
            text: text.to_owned(),
            excludes,
            scope,
        })
    }

    /// Whether it takes classes out.
    #[must_use]
    pub fn excludes(&self) -> bool {
        self.excludes
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it speaks of a class, by its name in class files.
    #[must_use]
    pub fn speaks_of(&self, name: &str) -> bool {
        self.matches(outermost(name))
    }

    /// Whether it speaks of the class with this outermost name.
    fn matches(&self, outermost: &str) -> bool {
        match &self.scope {
            Scope::Class(name) => name == outermost,
            Scope::Package(package) => outermost
                .strip_prefix(package.as_str())
                .is_some_and(|rest| !rest.contains('/')),
            Scope::Below(package) => outermost.starts_with(package.as_str()),
        }
    }
}

impl Patterns {
    /// Reads patterns; one at least has to include something.
    pub fn parse<'t>(texts: impl IntoIterator<Item = &'t str>) -> Result<Self, PatternError> {
        let patterns: Result<Vec<_>, _> = texts.into_iter().map(Pattern::parse).collect();
        let patterns = patterns?;
        match patterns.first() {
            None => Err(PatternError::Empty),
            Some(first) if patterns.iter().all(|pattern| pattern.excludes) => {
                let text = first.text.clone();
                Err(PatternError::OnlyExcludes { text })
            }
            Some(_) => Ok(Self {
                patterns,
                sharing: Sharing::default(),
                builders: Builders::None,
            }),
        }
    }

    /// Whether a class is inside, by its name in class files.
    #[must_use]
    pub fn is_inside(&self, name: &str) -> bool {
        let name = outermost(name);
        let matched = |excludes| {
            self.patterns
                .iter()
                .any(|pattern| pattern.excludes == excludes && pattern.matches(name))
        };
        !is_platform(name) && !name.starts_with('[') && matched(false) && !matched(true)
    }

    /// The patterns that speak of a class, by their position.
    pub fn speaking_of(&self, name: &str) -> impl Iterator<Item = usize> {
        let name = outermost(name).to_owned();
        let matches = move |(_, pattern): &(usize, &Pattern)| pattern.matches(&name);
        let found: Vec<usize> = self
            .patterns
            .iter()
            .enumerate()
            .filter(matches)
            .map(|(at, _)| at)
            .collect();
        found.into_iter()
    }

    /// All of them, as they were written.
    pub fn iter(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter()
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, pattern) in self.patterns.iter().enumerate() {
            let comma = if at == 0 { "" } else { ":" };
            write!(out, "{comma}{}", pattern.text)?;
        }
        Ok(())
    }
}

/// The name up to the first `$` that is not the first character of the simple
/// name.
pub(crate) fn outermost(name: &str) -> &str {
    let simple = name.rfind('/').map_or(0, |at| at + 1);
    // A hidden class has a slash behind its name.
    let simple = match name.find("$$Lambda") {
        Some(at) if at < simple => name
            .get(..at)
            .and_then(|n| n.rfind('/'))
            .map_or(0, |s| s + 1),
        _ => simple,
    };
    let after_first = name
        .get(simple..)
        .and_then(|simple| simple.chars().next())
        .map_or(simple, |first| simple + first.len_utf8());
    match name.get(after_first..).and_then(|rest| rest.find('$')) {
        Some(at) => name.get(..after_first + at).unwrap_or(name),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &str, inside: &[&str], outside: &[&str]) {
        let patterns = Patterns::parse(patterns.split(' ')).unwrap();
        for name in inside {
            assert!(patterns.is_inside(name), "{name}");
        }
        for name in outside {
            assert!(!patterns.is_inside(name), "{name}");
        }
    }

    #[test]
    fn libraries_may_be_named_like_the_jdk() {
        check(
            "javax.** com.sun.** java.**",
            &[
                "javax/servlet/Servlet",
                "com/sun/jna/Native",
                "javax/annotation/PostConstruct",
            ],
            &[
                "javax/sql/DataSource",
                "javax/annotation/processing/Processor",
                "com/sun/net/httpserver/HttpServer",
                "com/sun/proxy/$Proxy1",
                "java/lang/String",
            ],
        );
    }

    #[test]
    fn a_class_brings_its_nest() {
        check(
            "com.acme.Cart",
            &["com/acme/Cart", "com/acme/Cart$Item", "com/acme/Cart$1"],
            &[
                "com/acme/Carton",
                "com/acme/cart/Cart",
                "Cart",
                "[Lcom/acme/Cart;",
            ],
        );
        check("a.B$C", &["a/B", "a/B$C", "a/B$D"], &["a/C"]);
        check("a.$B", &["a/$B", "a/$B$C"], &["a/$C"]);
        check(
            "a.B",
            &["a/B$$Lambda$3/0x01", "a/B$$Lambda/0x7f01"],
            &["a/C$$Lambda/0x7f01"],
        );
        check("Main", &["Main", "Main$$Lambda$3/0x01"], &["a/Main"]);
    }

    #[test]
    fn packages_with_and_without_what_is_below() {
        check("a.b.*", &["a/b/C", "a/b/C$D"], &["a/b/c/D", "a/C", "a/bC"]);
        check("a.b.**", &["a/b/C", "a/b/c/D"], &["a/C", "a/bc/D"]);
        check("*", &["C"], &["a/C"]);
        check(
            "**",
            &["C", "a/C"],
            &["java/lang/String", "java/reprise/Probe"],
        );
    }

    #[test]
    fn what_is_excluded_stays_out() {
        check(
            "a.** !a.b.* !a.C",
            &["a/D", "a/b/c/D"],
            &["a/b/X", "a/C", "a/C$D"],
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("", "an empty pattern"),
            (
                "!a.B",
                "'!a.B' excludes classes, but no pattern includes any",
            ),
            (
                "a.*.B",
                "'a.*.B': a '*' or '**' can only stand alone at the end, as in 'com.acme.**'",
            ),
            (
                "a.B*",
                "'a.B*': a '*' or '**' can only stand alone at the end, as in 'com.acme.**'",
            ),
            ("a/B", "'a/B': '/' cannot be part of a class name"),
            ("a..B", "'a..B': '.' cannot be part of a class name"),
            (
                "a.B,c.**",
                "'a.B,c.**' are several patterns: give each its own 'observe', or all in a file as \
                 @FILE",
            ),
        ] {
            let error = Patterns::parse([text]).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
