//! Text tables for terminals and for results kept as files.

/// The rows as lines, each column as wide as its widest cell, each line
/// beginning with `indent`. Rows may differ in length.
pub(crate) fn aligned(rows: &[Vec<String>], indent: &str) -> String {
    let mut widths = Vec::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = cell.chars().count();
            match widths.get_mut(column) {
                Some(widest) => *widest = width.max(*widest),
                None => widths.push(width),
            }
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_owned();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::aligned;

    fn check(rows: &[&[&str]], expected: &str) {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        assert_eq!(aligned(&rows, ""), expected);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        check(&[&["a", "b"], &["long", "c"]], "a     b\nlong  c\n");
        check(&[&["≤ 5", "b"], &["long", "c"]], "≤ 5   b\nlong  c\n");
    }

    #[test]
    fn rows_may_be_short_or_missing() {
        check(&[&["a"], &["b", "c"]], "a\nb  c\n");
        check(&[], "");
    }
}
