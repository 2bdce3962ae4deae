//! No large file: everybody who clones the repository pays for it for ever.
//! Golden files are what they are, since they prove that old versions are read.

const LIMIT: u64 = 1 << 20;

pub(super) fn check(file: &str, size: u64) -> Option<String> {
    let golden = file.split('/').any(|folder| folder == "golden");
    (size > LIMIT && !golden).then(|| {
        format!(
            "{file}: {size} bytes is over the limit of {LIMIT}: make it smaller, or generate it."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, check};

    #[test]
    fn only_golden_files_may_be_large() {
        assert_eq!(check("docs/a.png", LIMIT), None);
        assert!(check("docs/a.png", LIMIT + 1).is_some());
        assert_eq!(
            check("core/recording/tests/golden/v1.reprise", LIMIT + 1),
            None
        );
    }
}
