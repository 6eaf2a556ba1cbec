//! Scanner of JSON text, value by value, without a tree: it reads all values before a truncation or an error.

use crate::import::limits::MAX_DEPTH;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The text is truncated here.
    Cut,
    Malformed,
    TooDeep,
}

/// The contents of a string, still escaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawString<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) has_escapes: bool,
}

/// A value; lists and objects as raw text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Raw<'a> {
    String(RawString<'a>),
    Number(&'a str),
    Bool(bool),
    Nested(&'a [u8]),
    Null,
}

#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the next byte other than whitespace, without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Consumes the next byte other than whitespace if it is `expected`.
    #[inline]
    pub(super) fn take_if(&mut self, expected: u8) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    #[inline]
    pub(super) fn expect(&mut self, expected: u8) -> Result<(), Flaw> {
        match self.peek() {
            Some(byte) if byte == expected => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Flaw::Malformed),
            None => Err(Flaw::Cut),
        }
    }

    pub(super) fn length(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn take(&mut self) {
        self.at += 1;
    }

    /// Consumes the next byte.
    #[inline]
    pub(super) fn next_byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the text from a position to this one.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn go_to_end(&mut self) {
        self.at = self.bytes.len();
    }

    pub(super) fn take_byte_order_mark(&mut self) {
        if self.at == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
    }

    /// True if only whitespace and commas follow a position.
    pub(super) fn is_blank_from(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b','))
    }

    /// Calls `entry` for each value of an object, with its key.
    pub(super) fn object(
        &mut self,
        mut entry: impl FnMut(&mut Self, RawString<'a>) -> Result<(), Flaw>,
    ) -> Result<(), Flaw> {
        self.expect(b'{')?;
        if self.take_if(b'}') {
            return Ok(());
        }
        loop {
            self.peek();
            let key = self.string()?;
            self.expect(b':')?;
            entry(self, key)?;
            if !self.take_if(b',') {
                return self.expect(b'}');
            }
        }
    }

    pub(super) fn string(&mut self) -> Result<RawString<'a>, Flaw> {
        self.expect(b'"')?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut has_escapes = false;
        let mut at = 0;
        loop {
            match rest.get(at) {
                None => return Err(Flaw::Cut),
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        self.at += at + 1;
        Ok(RawString { bytes: &rest[..at], has_escapes })
    }

    pub(super) fn value(&mut self) -> Result<Raw<'a>, Flaw> {
        match self.peek().ok_or(Flaw::Cut)? {
            b'"' => self.string().map(Raw::String),
            b'{' | b'[' => self.nested().map(Raw::Nested),
            b't' => self.word("true").map(|()| Raw::Bool(true)),
            b'f' => self.word("false").map(|()| Raw::Bool(false)),
            b'n' => match self.word("null") {
                // `nan`.
                Err(Flaw::Malformed) => self.number().map(Raw::Number),
                read => read.map(|()| Raw::Null),
            },
            _ => self.number().map(Raw::Number),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        Err(if word.as_bytes().starts_with(rest) { Flaw::Cut } else { Flaw::Malformed })
    }

    fn number(&mut self) -> Result<&'a str, Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
        let length = rest.iter().position(|byte| !is_part(byte)).ok_or(Flaw::Cut)?;
        let text = std::str::from_utf8(&rest[..length]).unwrap_or_default();
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return self.not_finite();
        }
        self.at += length;
        Ok(text)
    }

    /// Reads a number that JSON lacks, as Python (`-Infinity`, `NaN`) or C (`-inf`, `nan`) writes it.
    fn not_finite(&mut self) -> Result<&'a str, Flaw> {
        for word in ["NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf"] {
            match self.word(word) {
                Err(Flaw::Malformed) => {}
                read => return read.map(|()| word),
            }
        }
        Err(Flaw::Malformed)
    }

    /// Returns a list or an object as raw text.
    fn nested(&mut self) -> Result<&'a [u8], Flaw> {
        let start = self.at;
        let mut depth = 0_usize;
        let mut is_after_value = false;
        loop {
            match self.peek().ok_or(Flaw::Cut)? {
                b'"' => {
                    self.string()?;
                    is_after_value = true;
                }
                // The rest of a line was lost, and another event begins.
                b'{' | b'[' if is_after_value => return Err(Flaw::Malformed),
                b'{' | b'[' => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(Flaw::TooDeep);
                    }
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        return Ok(&self.bytes[start..self.at]);
                    }
                    is_after_value = true;
                }
                byte => {
                    is_after_value = !matches!(byte, b',' | b':');
                    self.at += 1;
                }
            }
        }
    }
}

/// Appends the text of a string; `false` if an escape is wrong or the text is not UTF-8.
pub(super) fn unescape(raw: RawString<'_>, out: &mut String) -> bool {
    let mut rest = raw.bytes;
    let mut right = true;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        right &= push_utf8(&rest[..at], out);
        let escape = rest.get(at + 1).copied().unwrap_or_default();
        rest = rest.get(at + 2..).unwrap_or_default();
        match escape {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'"' | b'\\' | b'/' => out.push(char::from(escape)),
            b'u' => {
                let read = unicode(&mut rest);
                right &= read.is_some();
                out.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => right = false,
        }
    }
    push_utf8(rest, out) && right
}

fn push_utf8(bytes: &[u8], out: &mut String) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            out.push_str(text);
            true
        }
        Err(_) => {
            out.push_str(&String::from_utf8_lossy(bytes));
            false
        }
    }
}

/// Returns the character of `\u` and four digits, or of a surrogate pair.
fn unicode(rest: &mut &[u8]) -> Option<char> {
    let first = hex4(rest)?;
    let code = if (0xd800..0xdc00).contains(&first) {
        *rest = rest.strip_prefix(b"\\u")?;
        let second = hex4(rest)?;
        0x1_0000 + ((first - 0xd800) << 10) + second.checked_sub(0xdc00).filter(|low| *low < 0x400)?
    } else {
        first
    };
    char::from_u32(code)
}

fn hex4(rest: &mut &[u8]) -> Option<u32> {
    let (digits, after) = rest.split_at_checked(4)?;
    let code = digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))?;
    *rest = after;
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> (String, bool) {
        let raw = Scanner::new(json.as_bytes()).string().unwrap();
        let mut out = String::new();
        let right = unescape(raw, &mut out);
        (out, right)
    }

    #[test]
    fn escapes() {
        assert_eq!(text(r#""a\"b\\\/\n\u00e9\ud83d\ude00""#), ("a\"b\\/\né😀".to_owned(), true));
        assert!(!text(r#""\ud83d""#).1, "half of a pair");
        assert!(!text(r#""\x""#).1);
    }

    #[test]
    fn values_are_told_apart_and_cuts_are_seen() {
        let read = |json: &'static str| Scanner::new(json.as_bytes()).value();
        assert!(matches!(read("-1.5e3,"), Ok(Raw::Number("-1.5e3"))));
        assert!(matches!(read("true"), Ok(Raw::Bool(true))));
        assert!(matches!(read(" [1, \"]\", {}] "), Ok(Raw::Nested(b"[1, \"]\", {}]"))));
        assert!(matches!(read("[1, [2]"), Err(Flaw::Cut)));
        assert!(matches!(read("[{\"a\": [[], {}]}, [1], {}]"), Ok(Raw::Nested(_))));
        assert!(matches!(read("[1\n{\"a\": 2}]"), Err(Flaw::Malformed)));
        assert!(matches!(read("\"abc"), Err(Flaw::Cut)));
        assert!(matches!(read("\"abc\\"), Err(Flaw::Cut)));
        assert!(matches!(read("tru"), Err(Flaw::Cut)));
        assert!(matches!(read("12"), Err(Flaw::Cut)), "more digits may follow");
        assert!(matches!(read("nix"), Err(Flaw::Malformed)));
        assert!(matches!(read("-x"), Err(Flaw::Malformed)));
        assert!(matches!(read("-Inf"), Err(Flaw::Cut)));
        assert!(matches!(read("nan}"), Ok(Raw::Number("nan"))));
        let deep = "[".repeat(1000);
        assert!(matches!(Scanner::new(deep.as_bytes()).value(), Err(Flaw::TooDeep)));
    }
}
