//! Calls into the JDK that run for real on both sides and leave no event.
//!
//! Calls to the JDK dominate a recording, and most of them go to immutable
//! values. A call is listed when its result depends on nothing but the values
//! of its receiver and arguments, on every machine, and when it can call back
//! into nothing: so no method that takes an object of unknown class (whose
//! `toString` or `equals` would run unseen), none that depends on the default
//! locale, charset or time zone, none whose result has an identity that
//! outside code shares.

/// Methods of one class, and why they may run for real.
struct Pure {
    class: &'static str,
    /// Names; an empty list means all but those of [`Pure::but`].
    names: &'static [&'static str],
    but: &'static [&'static str],
    /// For whoever wonders; shown by no program.
    #[allow(dead_code, reason = "the reason stands beside what it is for")]
    why: &'static str,
}

const PURE: &[Pure] = &[
    Pure {
        class: "java/lang/Object",
        names: &["<init>"],
        but: &[],
        why: "It does nothing, and every constructor calls it.",
    },
    Pure {
        class: "java/lang/Record",
        names: &["<init>"],
        but: &[],
        why: "As Object.",
    },
    Pure {
        class: "java/lang/Enum",
        names: &["<init>", "name", "ordinal"],
        but: &[],
        why: "It keeps name and number. The methods are final.",
    },
    Pure {
        class: "java/lang/String",
        names: &[
            "charAt",
            "codePointAt",
            "codePointBefore",
            "codePointCount",
            "compareTo",
            "compareToIgnoreCase",
            "concat",
            "endsWith",
            "equals",
            "equalsIgnoreCase",
            "hashCode",
            "indexOf",
            "intern",
            "isBlank",
            "isEmpty",
            "lastIndexOf",
            "length",
            "regionMatches",
            "repeat",
            "replace",
            "startsWith",
            "strip",
            "stripLeading",
            "stripTrailing",
            "substring",
            "toCharArray",
            "toString",
            "trim",
        ],
        but: &[],
        why: "A string is its chars. Left out: what takes a CharSequence, a \
              charset or a locale, and what returns a stream.",
    },
    Pure {
        class: "java/lang/Integer",
        names: &[],
        but: &["getInteger"],
        why: "A number. Left out: system properties.",
    },
    Pure {
        class: "java/lang/Long",
        names: &[],
        but: &["getLong"],
        why: "As Integer.",
    },
    Pure {
        class: "java/lang/Boolean",
        names: &[],
        but: &["getBoolean"],
        why: "As Integer.",
    },
    Pure {
        class: "java/lang/Short",
        names: &[],
        but: &[],
        why: "A number.",
    },
    Pure {
        class: "java/lang/Byte",
        names: &[],
        but: &[],
        why: "A number.",
    },
    Pure {
        class: "java/lang/Character",
        names: &[],
        but: &["getName", "codePointOf"],
        why: "A char. Left out: names, whose table differs between releases.",
    },
    Pure {
        class: "java/lang/Float",
        names: &[],
        but: &[],
        why: "A number.",
    },
    Pure {
        class: "java/lang/Double",
        names: &[],
        but: &[],
        why: "A number.",
    },
    Pure {
        class: "java/lang/Math",
        names: &[],
        but: &["random"],
        why: "Functions of numbers, within the release that a replay needs \
              anyway. Left out: random numbers.",
    },
    Pure {
        class: "java/lang/StrictMath",
        names: &[],
        but: &["random"],
        why: "As Math.",
    },
];

/// Arrays are arrays on both sides, so these do the same to them; of objects
/// they only move references.
const MOVES: &[(&str, &str)] = &[
    ("java/lang/System", "arraycopy"),
    ("java/util/Arrays", "copyOf"),
    ("java/util/Arrays", "copyOfRange"),
    ("java/util/Arrays", "fill"),
];

/// Parameters and results that a pure call may have: scalars, strings and
/// arrays of scalars, which `toCharArray` and the like make or read.
fn is_plain(descriptor: &str) -> bool {
    let mut rest = descriptor;
    while let Some(at) = rest.find('L') {
        let name = rest.get(at + 1..).unwrap_or_default();
        let Some((name, after)) = name.split_once(';') else {
            return false;
        };
        let value = matches!(
            name,
            "java/lang/String"
                | "java/lang/Integer"
                | "java/lang/Long"
                | "java/lang/Short"
                | "java/lang/Byte"
                | "java/lang/Character"
                | "java/lang/Boolean"
                | "java/lang/Float"
                | "java/lang/Double"
        );
        if !value {
            return false;
        }
        rest = after;
    }
    true
}

/// What depends on the machine although it has no parameters that say so.
const LOCAL: &[&str] = &["getBytes", "toLowerCase", "toUpperCase", "formatted"];

/// What depends on other threads.
const MONITOR: &[&str] = &["wait", "notify", "notifyAll"];

/// The immutable JDK values beside those of [`is_plain`], and what they are
/// compared with.
const VALUES: &[&str] = &[
    "Ljava/math/BigDecimal;",
    "Ljava/math/BigInteger;",
    "Ljava/util/UUID;",
    "Ljava/time/Duration;",
    "Ljava/time/Instant;",
    "Ljava/time/LocalDate;",
    "Ljava/time/LocalDateTime;",
    "Ljava/time/LocalTime;",
    "Ljava/time/OffsetDateTime;",
    "Ljava/time/Period;",
    "Ljava/time/ZoneOffset;",
];

/// Whether a call on an immutable JDK value, whatever class its site names,
/// runs for real and needs no event. One that takes or returns an object of
/// unknown class does not: a replay may have nothing in that object's place
/// that the JDK could work on.
#[must_use]
pub fn runs_on_values(name: &str, descriptor: &str) -> bool {
    if LOCAL.contains(&name) || MONITOR.contains(&name) {
        return false;
    }
    let mut rest = descriptor.to_owned();
    for value in VALUES {
        rest = rest.replace(value, "");
    }
    if matches!(name, "equals" | "compareTo") {
        rest = rest.replace("(Ljava/lang/Object;)", "()");
    }
    is_plain(&rest)
}

/// Whether an immutable JDK value may be the receiver of a call that names this
/// class, which is none of theirs.
pub(crate) fn may_be_value(class: &str) -> bool {
    matches!(
        class,
        "java/lang/Object" | "java/lang/CharSequence" | "java/lang/Comparable" | "java/lang/Number"
    ) || class.starts_with("java/time/")
}

/// Whether a call moves elements of arrays.
pub(crate) fn moves(class: &str, name: &str) -> bool {
    MOVES.contains(&(class, name))
}

/// Whether a call needs no event.
#[must_use]
pub fn is_pure(class: &str, name: &str, descriptor: &str) -> bool {
    // An array's own methods: `clone` makes another array of the inside.
    if class.starts_with('[') {
        return name == "clone";
    }
    if moves(class, name) {
        return true;
    }
    let Some(pure) = PURE.iter().find(|pure| pure.class == class) else {
        return false;
    };
    let listed = match pure.names {
        [] => !pure.but.contains(&name),
        names => names.contains(&name),
    };
    // `equals(Object)` of a final value class looks at the class first.
    listed && (is_plain(descriptor) || (name == "equals" && descriptor == "(Ljava/lang/Object;)Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_asked_for_what_depends_on_values() {
        for (name, descriptor) in [
            ("length", "()I"),
            ("compareTo", "(Ljava/lang/Object;)I"),
            ("add", "(Ljava/math/BigDecimal;)Ljava/math/BigDecimal;"),
        ] {
            assert!(runs_on_values(name, descriptor), "{name}");
        }
        for (name, descriptor) in [
            ("toUpperCase", "()Ljava/lang/String;"),
            ("toUpperCase", "(Ljava/util/Locale;)Ljava/lang/String;"),
            ("contains", "(Ljava/lang/CharSequence;)Z"),
            ("chars", "()Ljava/util/stream/IntStream;"),
        ] {
            assert!(!runs_on_values(name, descriptor), "{name}");
        }
    }

    #[test]
    fn only_what_depends_on_values_is_pure() {
        for (class, name, descriptor) in [
            ("java/lang/Object", "<init>", "()V"),
            ("java/lang/String", "length", "()I"),
            ("java/lang/String", "equals", "(Ljava/lang/Object;)Z"),
            ("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;"),
            ("[I", "clone", "()Ljava/lang/Object;"),
            ("java/util/Arrays", "copyOf", "([II)[I"),
        ] {
            assert!(is_pure(class, name, descriptor), "{class}.{name}");
        }
        for (class, name, descriptor) in [
            ("java/lang/Object", "hashCode", "()I"),
            (
                "java/lang/String",
                "valueOf",
                "(Ljava/lang/Object;)Ljava/lang/String;",
            ),
            (
                "java/lang/String",
                "replace",
                "(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Ljava/lang/String;",
            ),
            ("java/lang/String", "toUpperCase", "()Ljava/lang/String;"),
            ("java/lang/Math", "random", "()D"),
            (
                "java/lang/Integer",
                "describeConstable",
                "()Ljava/util/Optional;",
            ),
            ("java/lang/StringBuilder", "length", "()I"),
            ("java/util/Arrays", "sort", "([Ljava/lang/Object;)V"),
        ] {
            assert!(!is_pure(class, name, descriptor), "{class}.{name}");
        }
    }
}
