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

/// Whether a line of an output is a row of a table, as Markdown has them.
pub(crate) fn is_row(line: &str) -> bool {
    line.starts_with('|') && line.ends_with('|')
}

/// The rows among lines as a table, with an empty line behind it: what the columns are called
/// is said once, whoever has said it.
pub(crate) fn rows(text: &str) -> String {
    let mut table = String::new();
    let mut columns = None;
    let mut rows = text.lines().filter(|line| is_row(line)).peekable();
    while let Some(row) = rows.next() {
        if let Some(below) = rows.next_if(|next| next.starts_with("| ---")) {
            if columns == Some(row) {
                continue;
            }
            if columns.replace(row).is_some() {
                table.push('\n');
            }
            table.push_str(&format!("{row}\n{below}\n"));
        } else {
            table.push_str(&format!("{row}\n"));
        }
    }
    if !table.is_empty() {
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{aligned, rows};

    #[test]
    fn columns_are_named_once_and_other_columns_are_another_table() {
        let one = "| a |\n| --- |\n| 1 |\n";
        let other = "| b |\n| --- |\n| 3 |\n";
        let text = format!("x\n{one}y\n{}{other}", one.replace('1', "2"));
        assert_eq!(rows(&text), format!("{one}| 2 |\n\n{other}\n"));
        assert_eq!(rows("a | b |\n"), "");
    }

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
