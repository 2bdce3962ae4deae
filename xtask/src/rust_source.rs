//! Just enough of Rust's grammar to see which words of a file are code: the
//! checks of the repository must not trip over comments, strings and tests.

/// A word or a single other character of the code, and the line it is on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The code of a file, without comments and literals. It takes any text: what
/// is not Rust comes out as tokens that mean nothing.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if let Some(length) = skipped(rest) {
            length
        } else {
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            if !first.is_whitespace() {
                tokens.push(Token {
                    text: &rest[..length],
                    line,
                });
            }
            length
        };
        let (passed, after) = rest.split_at(length);
        line += passed.matches('\n').count();
        rest = after;
    }
    tokens
}

/// The length of the comment or literal that `text` begins with.
fn skipped(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(block_comment(text));
    }
    let prefix = ["br", "cr", "b", "c", "r"]
        .iter()
        .find(|&&p| text.starts_with(p));
    let prefix = prefix.map_or("", |p| p);
    let body = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        body[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let open = prefix.len() + hashes + 1;
        return Some(
            text[open..]
                .find(&end)
                .map_or(text.len(), |at| open + at + end.len()),
        );
    }
    if body.starts_with('"') {
        return Some(prefix.len() + quoted(body, '"'));
    }
    let mut after_quote = body.strip_prefix('\'')?.chars();
    // A lifetime has no closing quote right after its first character.
    let is_character = after_quote.next() == Some('\\') || after_quote.next() == Some('\'');
    is_character.then(|| prefix.len() + quoted(body, '\''))
}

/// Block comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a literal that begins and ends with `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character == quote {
            return at + quote.len_utf8();
        }
    }
    text.len()
}

/// The tokens without the items marked `#[cfg(test)]`.
pub(crate) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let marked = tokens[at..].len() >= MARK.len()
            && MARK
                .iter()
                .zip(&tokens[at..])
                .all(|(mark, token)| *mark == token.text);
        if marked {
            at += MARK.len();
            at += item_length(&tokens[at..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// How many tokens there are up to the end of the item: its `;`, or the brace
/// that closes its body.
fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.text == "}" {
                    // A group of imports ends with both.
                    let semicolon = tokens.get(at + 1).is_some_and(|next| next.text == ";");
                    return at + 1 + usize::from(semicolon);
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::{tokens, without_tests};

    fn check(source: &str, expected: &[&str]) {
        let found = tokens(source);
        assert_eq!(found.iter().map(|t| t.text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        check("a // b\nc /* d /* e */ f */ g", &["a", "c", "g"]);
        check(r#"a "b \" c" d b"e" 'f' '\'' g"#, &["a", "d", "g"]);
        check(r####"r"a" r##"b "# c"## br#"d"# e"####, &["e"]);
        check(
            "fn f<'a>(x: &'a str)",
            &[
                "fn", "f", "<", "'", "a", ">", "(", "x", ":", "&", "'", "a", "str", ")",
            ],
        );
    }

    #[test]
    fn words_that_look_like_prefixes_are_words() {
        check(
            "r b br cr result bar r#type",
            &["r", "b", "br", "cr", "result", "bar", "r", "#", "type"],
        );
    }

    #[test]
    fn what_never_ends_ends_with_the_file() {
        check("a \"b", &["a"]);
        check("a /* b", &["a"]);
        check("a r#\"b\"", &["a"]);
        check("a 'é", &["a", "'", "é"]);
    }

    #[test]
    fn lines_are_counted_through_what_is_skipped() {
        let found = tokens("/* 1\n2 */\n\"3\n4\" a");
        assert_eq!(found[0].line, 4);
    }

    #[test]
    fn items_for_tests_are_left_out() {
        let check = |source: &str, expected: &[&str]| {
            let found = without_tests(&tokens(source));
            assert_eq!(found.iter().map(|t| t.text).collect::<Vec<_>>(), expected);
        };
        check("a #[cfg(test)] mod tests { fn f() {} } b", &["a", "b"]);
        check("#[cfg(test)] mod tests; b", &["b"]);
        check("#[cfg(test)] use x::{y, z}; b", &["b"]);
    }
}
