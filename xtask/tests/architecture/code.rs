//! Layers of a Rust file: code without comments and literals, prose without code, and the test-only parts.

/// Two layers of a file, each with the file's number of lines; text of the other layer is blank.
pub(crate) struct Layers {
    /// Everything except for comments and contents of literals.
    pub(crate) code: String,
    pub(crate) prose: String,
}

pub(crate) fn layers(text: &str) -> Layers {
    let mut reader = Reader { rest: text, layers: Layers { code: String::new(), prose: String::new() } };
    while let Some(letter) = reader.rest.chars().next() {
        let rest = reader.rest;
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            let marks = rest.find(|mark| mark != '/' && mark != '!').unwrap_or(rest.len()).min(end);
            reader.blank(marks);
            reader.prose(end - marks);
        } else if rest.starts_with("/*") {
            reader.prose(end_of_block_comment(rest));
        } else if let Some((open, close)) = raw_string(rest) {
            reader.literal(open, rest[open..].find(&close).map_or(rest.len(), |at| open + at), close.len());
        } else if letter == '"' {
            reader.literal(1, end_of_string(rest), 1);
        } else if let Some(end) = char_literal(rest) {
            reader.blank(end);
        } else if letter.is_alphanumeric() || letter == '_' {
            let end = rest.find(|letter: char| !is_name(letter)).unwrap_or(rest.len());
            reader.code(end);
        } else {
            reader.code(letter.len_utf8());
        }
    }
    reader.layers
}

struct Reader<'a> {
    rest: &'a str,
    layers: Layers,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn code(&mut self, bytes: usize) {
        let taken = self.take(bytes);
        self.layers.code.push_str(taken);
        self.layers.prose.push_str(&blank(taken));
    }

    fn prose(&mut self, bytes: usize) {
        let taken = self.take(bytes);
        self.layers.code.push_str(&blank(taken));
        self.layers.prose.push_str(taken);
    }

    fn blank(&mut self, bytes: usize) {
        let taken = blank(self.take(bytes));
        self.layers.code.push_str(&taken);
        self.layers.prose.push_str(&taken);
    }

    /// Skips a string: its quotes stay in the code, so that a call's argument does not vanish.
    fn literal(&mut self, open: usize, end: usize, close: usize) {
        self.code(open);
        self.prose(end - open);
        self.code(close);
    }
}

fn blank(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect()
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the end of the block comment at the start of `text`; such comments nest.
fn end_of_block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of a raw string's opening at the start of `text`, and its closing.
fn raw_string(text: &str) -> Option<(usize, String)> {
    let behind = ["br", "cr", "r"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let quote = behind.trim_start_matches('#').strip_prefix('"')?;
    let hashes = behind.len() - quote.len() - 1;
    Some((text.len() - quote.len(), format!("\"{}", "#".repeat(hashes))))
}

fn end_of_string(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the character literal at the start of `text`; a lifetime is none.
fn char_literal(text: &str) -> Option<usize> {
    let mut letters = text.strip_prefix('\'')?.chars();
    match letters.next()? {
        '\\' => text[3..].find('\'').map(|at| at + 4),
        letter => (letters.next()? == '\'').then(|| letter.len_utf8() + 2),
    }
}

/// Returns `code` (a layer of [`layers`]) with test-only items blanked, and the names of the modules among them with
/// separate files.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut kept, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some(at) = test_attribute(rest) {
        let (before, item) = rest.split_at(at);
        let (item, behind) = item.split_at(end_of_item(item));
        kept.push_str(before);
        kept.push_str(&blank(item));
        modules.extend(file_module(item));
        rest = behind;
    }
    kept.push_str(rest);
    (kept, modules)
}

fn test_attribute(code: &str) -> Option<usize> {
    ["#[cfg(test)]", "#[cfg(all(test,", "#[cfg(any(test))]", "#[test]"]
        .iter()
        .filter_map(|it| code.find(it))
        .min()
}

/// `#[cfg(test)] mod name;` is `name`.
fn file_module(item: &str) -> Option<String> {
    let words: Vec<&str> = item.trim_end_matches(';').split_whitespace().collect();
    let [.., "mod", name] = words[..] else { return None };
    Some(name.to_owned())
}

/// Returns the length of the item at the start of `code`, including its attributes.
fn end_of_item(code: &str) -> usize {
    let begin = end_of_attributes(code);
    let first =
        code[begin..].split(|letter: char| !is_name(letter)).find(|word| !word.is_empty() && *word != "pub");
    // These end with a brace; other items end with a semicolon, or a comma in a list of fields.
    let ends_with_brace = matches!(
        first,
        Some(
            "fn" | "mod"
                | "impl"
                | "struct"
                | "enum"
                | "trait"
                | "unsafe"
                | "async"
                | "extern"
                | "macro_rules"
                | "crate"
                | "in"
        )
    );
    let is_statement = matches!(first, Some("use" | "const" | "static" | "type" | "let"));
    let mut depth = 0_usize;
    for (at, letter) in code[begin..].char_indices().map(|(at, letter)| (begin + at, letter)) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            // The enclosing list ends before the item does: it was the last one.
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' => depth -= 1,
            '}' => {
                depth -= 1;
                if depth == 0 && ends_with_brace {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            ',' if depth == 0 && !ends_with_brace && !is_statement => return at + 1,
            _ => {}
        }
    }
    code.len()
}

fn end_of_attributes(code: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = code[at..].trim_start();
        let begin = code.len() - rest.len();
        if !rest.starts_with("#[") {
            return begin;
        }
        let mut depth = 0_usize;
        let end = rest.char_indices().skip(1).find_map(|(place, letter)| {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(place + 1)
        });
        at = begin + end.unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "let a = \"use b; // \\\" c\"; // use d\n/* e /* f */ g */ let h = 'i'; fn j<'k>() { r#\"l\"m\"# }\n";
        let Layers { code, prose } = layers(text);
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>().join(" "),
            "let a = \" \"; let h = ; fn j<'k>() { r#\" \"# }"
        );
        for word in ["use b", "use d", "e /* f */ g", "l\"m"] {
            assert!(prose.contains(word), "{word}: {prose}");
        }
        assert!(!prose.contains("let") && !prose.contains("//  use d"), "{prose}");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn escapes_and_quotes_in_characters_do_not_open_a_string() {
        let Layers { code, prose } = layers("if c == '\"' || c == '\\'' || c == '\\\\' { here() } // there");
        assert!(code.contains("here()"), "{code}");
        assert_eq!(prose.trim(), "there");
    }

    #[test]
    fn only_the_item_for_tests_is_left_out() {
        let code = "fn a() {}\n#[cfg(test)]\n#[path = \"x\"]\npub(crate) mod b;\nfn c() {}\n#[cfg(test)]\nmod d {\n    fn e() {}\n}\nfn f() {}\n";
        let (kept, modules) = without_tests(code);
        assert_eq!(kept.split_whitespace().collect::<String>(), "fna(){}fnc(){}fnf(){}");
        assert_eq!(kept.lines().count(), code.lines().count());
        assert_eq!(modules, ["b"]);
    }

    #[test]
    fn items_of_every_kind_end_where_they_end() {
        for (item, behind) in [
            ("#[cfg(test)] use a::{b, c};", "use d;"),
            ("#[cfg(test)] pub(crate) const E: [u8; 2] = [1, 2];", "const F: u8 = 1;"),
            ("#[cfg(test)] fn g<H, I>(j: [u8; 2]) -> K { l; }", "fn m() {}"),
            ("#[cfg(test)] n: Vec<u8>,", "o: u8,"),
            ("#[cfg(test)] P { q: u8 },", "R,"),
            ("#[cfg(test)] s: u8", "} fn t() {}"),
            ("#[cfg(test)] impl U { fn v() {} }", "struct W;"),
        ] {
            let (kept, _) = without_tests(&format!("{item}{behind}"));
            assert_eq!(kept.trim(), behind, "{item}");
        }
    }
}
