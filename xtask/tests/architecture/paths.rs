//! Paths in a Rust file: its `use` trees, grouped and nested, and paths in the code.

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UsePath {
    /// `crate::a::B` is `crate`, `a`, `B`; in `a::*` the star is omitted.
    pub(crate) segments: Vec<String>,
    /// Name in the file, for a `use`.
    pub(crate) import: Import,
    /// Number of enclosing inline modules.
    pub(crate) depth: usize,
    pub(crate) line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Import {
    /// In the code, without `use`.
    Inline,
    Private(String),
    /// By `pub use` or `pub(crate) use`, under this name.
    Public(String),
    Glob {
        is_public: bool,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) named: Vec<UsePath>,
    pub(crate) declared: Vec<String>,
    /// Every name in its code outside `use`.
    pub(crate) words: std::collections::BTreeSet<String>,
}

/// Parses `code`, which has neither comments nor literals.
pub(crate) fn contents(code: &str) -> Contents {
    let mut reader =
        Reader { tokens: tokens(code), at: 0, found: Contents::default(), inner: Vec::new(), braces: 0 };
    reader.read();
    reader.found
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            let length = if is_name(first) {
                rest.find(|letter| !is_name(letter)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            found.push(Token { text: &rest[..length], line: number + 1 });
            rest = rest[length..].trim_start();
        }
    }
    found
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    found: Contents,
    /// Brace depths of the enclosing inline modules.
    inner: Vec<usize>,
    braces: usize,
}

impl Reader<'_> {
    fn text(&self, offset: isize) -> &str {
        let at = self.at.checked_add_signed(offset);
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text)
    }

    fn read(&mut self) {
        while self.at < self.tokens.len() {
            match self.text(0) {
                "{" => self.braces += 1,
                "}" => {
                    self.braces = self.braces.saturating_sub(1);
                    if self.inner.last() == Some(&self.braces) {
                        self.inner.pop();
                    }
                }
                "use" if self.text(1) != "<" => {
                    self.at += 1;
                    // `pub use` and `pub(crate) use`, but not a `use` after a function's parentheses.
                    let is_public =
                        self.text(-2) == "pub" || (self.text(-2) == ")" && self.is_visibility_before());
                    self.tree(&mut Vec::new(), is_public);
                    continue;
                }
                "mod" if self.text(2) == "{" => {
                    self.inner.push(self.braces);
                    self.declare();
                }
                "struct" | "enum" | "trait" | "fn" | "mod" | "type" | "const" | "static" | "union" => {
                    self.declare()
                }
                "macro_rules" if self.text(1) == "!" => self.found.declared.push(self.text(2).to_owned()),
                _ if self.begins_path() => {
                    self.inline();
                    continue;
                }
                _ => {}
            }
            self.word();
            self.at += 1;
        }
    }

    fn declare(&mut self) {
        let name = self.text(1).to_owned();
        self.found.declared.push(name);
    }

    fn word(&mut self) {
        let text = self.text(0).to_owned();
        if text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
            self.found.words.insert(text);
        }
    }

    /// True if the parenthesis that closes two tokens before `self.at` belongs to `pub(…)`.
    fn is_visibility_before(&self) -> bool {
        (3..9).find(|back| self.text(-back) == "(").is_some_and(|back| self.text(-back - 1) == "pub")
    }

    /// True if a path of several names begins here. `pub(in crate::a)` is none.
    fn begins_path(&self) -> bool {
        let is_name = self.text(0).starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        let is_visibility = self.text(-1) == "in" && self.text(-2) == "(" && self.text(-3) == "pub";
        is_name && self.text(1) == "::" && self.text(-1) != "::" && !is_visibility
    }

    fn inline(&mut self) {
        let line = self.tokens[self.at].line;
        let mut segments = Vec::new();
        loop {
            self.word();
            segments.push(self.text(0).to_owned());
            self.at += 1;
            let goes_on = self.text(1).starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
            if self.text(0) != "::" || !goes_on {
                break;
            }
            self.at += 1;
        }
        self.found.named.push(UsePath { segments, import: Import::Inline, depth: self.inner.len(), line });
    }

    /// Reads one branch of a `use` tree; `self.at` is then after it.
    fn tree(&mut self, path: &mut Vec<String>, is_public: bool) {
        let before = path.len();
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let mut name = None;
        loop {
            match self.text(0).to_owned().as_str() {
                "::" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while self.at < self.tokens.len() && self.text(0) != "}" {
                        self.tree(path, is_public);
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    path.truncate(before);
                    return;
                }
                "*" => {
                    self.at += 1;
                    self.import(path, Import::Glob { is_public }, line);
                    path.truncate(before);
                    return;
                }
                "as" => {
                    name = Some(self.text(1).to_owned());
                    self.at += 2;
                }
                "" | "," | ";" | "}" => break,
                // In `use a::{self, B}` the first is `a`.
                "self" if !path.is_empty() => self.at += 1,
                segment => {
                    path.push(segment.to_owned());
                    self.at += 1;
                }
            }
        }
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        self.import(path, if is_public { Import::Public(name) } else { Import::Private(name) }, line);
        path.truncate(before);
    }

    fn import(&mut self, path: &[String], import: Import, line: usize) {
        if !path.is_empty() {
            self.found.named.push(UsePath { segments: path.to_vec(), import, depth: self.inner.len(), line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(code: &str) -> Vec<String> {
        contents(code).named.iter().map(|named| named.segments.join("::")).collect()
    }

    #[test]
    fn use_trees_are_taken_apart() {
        assert_eq!(
            paths("use crate::{a::{self, B, c::*}, d as e};\npub(crate) use super::f::G;"),
            ["crate::a", "crate::a::B", "crate::a::c", "crate::d", "super::f::G"]
        );
    }

    #[test]
    fn a_use_knows_its_name_and_who_sees_it() {
        let found =
            contents("use a::B as C; pub use d::e; pub(in crate::f) use g::h; use i::*; pub use j::*;").named;
        let imports: Vec<Import> = found.into_iter().map(|named| named.import).collect();
        let expected = [
            Import::Private("C".into()),
            Import::Public("e".into()),
            Import::Public("h".into()),
            Import::Glob { is_public: false },
            Import::Glob { is_public: true },
        ];
        assert_eq!(imports, expected);
    }

    #[test]
    fn paths_in_the_code_are_found_and_visibilities_are_not() {
        let code = "pub(in crate::a) fn b(c: crate::d::E) { for f in crate::g::h() { super::i::<u8>() } }";
        assert_eq!(paths(code), ["crate::d::E", "crate::g::h", "super::i"]);
        assert_eq!(paths("fn a() -> impl B + use<'_> { c }"), Vec::<String>::new());
    }

    #[test]
    fn modules_that_are_written_out_are_one_deeper() {
        let named = contents("mod a { fn b() { super::c() } } fn d() { super::e() }").named;
        let depths: Vec<(usize, String)> =
            named.into_iter().map(|named| (named.depth, named.segments.join("::"))).collect();
        assert_eq!(depths, [(1, "super::c".to_owned()), (0, "super::e".to_owned())]);
    }

    #[test]
    fn declarations_are_listed() {
        let declared =
            contents("pub struct A; fn b() {} macro_rules! c { () => {} } mod d; const E: u8 = 1;").declared;
        assert_eq!(declared, ["A", "b", "c", "d", "E"]);
    }
}
