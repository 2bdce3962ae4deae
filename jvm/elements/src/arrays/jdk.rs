//! Calls of the JDK of which it is known what they do with arrays.

/// What a call does with the arrays that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It looks at them, and keeps none.
    Reads,
    /// It writes values to the one with this number.
    Writes(usize),
    /// It puts its last value into the first, everywhere.
    Fills,
    /// It copies elements of the first into the third.
    Copies,
    /// It makes a new array with elements of the first.
    MakesLike,
    /// It makes a new array of values.
    Makes,
    /// It returns the first.
    Returns,
}

/// By class, name and descriptor of a call.
pub(super) fn does(class: &str, name: &str, descriptor: &str) -> Option<Does> {
    // Elements that are objects may be compared by code of the program.
    let first = descriptor.strip_prefix("([").unwrap_or_default();
    let of_values = !first.is_empty() && !first.starts_with(['L', '[']);
    let compares = descriptor.contains("java/util/");
    Some(match (class, name) {
        (_, "clone") if class.starts_with('[') => Does::MakesLike,
        ("java/lang/System", "arraycopy") => Does::Copies,
        ("java/util/Arrays", "fill") if of_values => Does::Writes(0),
        ("java/util/Arrays", "fill") => Does::Fills,
        ("java/util/Arrays", "copyOf" | "copyOfRange") => Does::MakesLike,
        ("java/util/Arrays", "sort" | "parallelSort") if of_values => Does::Writes(0),
        ("java/util/Arrays", "equals" | "hashCode" | "toString" | "binarySearch" | "mismatch")
            if of_values && !compares =>
        {
            Does::Reads
        }
        ("java/lang/String", "toCharArray" | "getBytes") => Does::Makes,
        ("java/lang/String", "getChars") => Does::Writes(2),
        ("java/lang/String", "<init>" | "valueOf" | "copyValueOf")
            if of_values && first.starts_with(['C', 'B', 'I']) =>
        {
            Does::Reads
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer", "append" | "insert")
            if descriptor.contains("[C") =>
        {
            Does::Reads
        }
        ("java/util/Objects", "requireNonNull") => Does::Returns,
        (
            "java/lang/Object",
            "getClass" | "hashCode" | "notify" | "notifyAll" | "wait" | "<init>",
        ) => Does::Reads,
        _ => return None,
    })
}
