//! The text and a cursor in it. No function here is generic.

use std::borrow::Cow;

use syclscope_language::decimal::float;

use super::{JsonError, Value};

const MAX_DEPTH: u32 = 128;

#[derive(Clone)]
pub struct Reader<'de> {
    text: &'de str,
    at: usize,
    depth: u32,
}

/// A number in its written form.
enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

pub(super) fn whole(text: &str, value: &mut dyn Value) -> Result<(), JsonError> {
    let mut reader = Reader::new(text);
    match value.read(&mut reader) {
        Ok(()) => reader.end(),
        Err(error) => Err(reader.at_position(error)),
    }
}

/// Reads the start of a text into a value; returns its length in bytes.
pub(super) fn first(text: &str, value: &mut dyn Value) -> Result<usize, JsonError> {
    let mut reader = Reader::new(text);
    match value.read(&mut reader) {
        Ok(()) => Ok(reader.at),
        Err(error) => Err(reader.at_position(error)),
    }
}

impl<'de> Reader<'de> {
    pub(super) fn new(text: &'de str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// Returns the next byte other than white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(error(missing(byte))) }
    }

    pub(super) fn enter(&mut self, open: u8) -> Result<(), JsonError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(error("it is nested too deeply")) } else { self.expect(open) }
    }

    pub(super) fn leave(&mut self, close: u8) -> Result<(), JsonError> {
        self.depth -= 1;
        self.expect(close)
    }

    /// True if a list or object has another item; consumes the comma before it.
    pub(super) fn goes_on(&mut self, is_first: &mut bool, close: u8) -> Result<bool, JsonError> {
        if self.peek() == Some(close) {
            return Ok(false);
        }
        if !std::mem::take(is_first) {
            self.expect(b',')?;
        }
        Ok(true)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.peek();
        let is_next = self.text[self.at..].starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    pub fn string(&mut self) -> Result<Cow<'de, str>, JsonError> {
        self.expect(b'"')?;
        let mut whole = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let end = rest.bytes().position(|byte| byte == b'"' || byte == b'\\');
            let Some(end) = end else { return Err(error("a string has no end")) };
            let piece = &rest[..end];
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                if whole.is_empty() {
                    return Ok(Cow::Borrowed(piece));
                }
                whole.to_mut().push_str(piece);
                return Ok(whole);
            }
            whole.to_mut().push_str(piece);
            let letter = self.escaped()?;
            whole.to_mut().push(letter);
        }
    }

    /// Reads the character after a backslash.
    fn escaped(&mut self) -> Result<char, JsonError> {
        let letter = self.text.as_bytes().get(self.at).copied();
        self.at += 1;
        Ok(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let code = match first {
                    // Two surrogates encode one character beyond the first 65,536.
                    0xd800..0xdc00 if self.text.get(self.at..self.at + 2) == Some("\\u") => {
                        self.at += 2;
                        0x1_0000 + ((first - 0xd800) << 10) + (self.hex()?.wrapping_sub(0xdc00) & 0x3ff)
                    }
                    code => code,
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                self.at -= 1;
                return Err(error("a string holds an unknown escape"));
            }
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| {
            self.at -= 4;
            error("a string holds an unknown escape")
        })
    }

    fn number(&mut self) -> Result<Number, JsonError> {
        self.peek();
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut value = Some(0_u64);
        while let Some(digit @ b'0'..=b'9') = bytes.get(self.at) {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let is_float = |byte: &u8| matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-' | b'0'..=b'9');
        if self.at > start
            && let Some(value) = value
            && !bytes.get(self.at).is_some_and(is_float)
        {
            return Ok(Number::Unsigned(value));
        }
        while bytes.get(self.at).is_some_and(is_float) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        if let Ok(value) = text.parse() {
            return Ok(Number::Signed(value));
        }
        float(text).map(Number::Float).ok_or_else(|| {
            self.at = start;
            error("a number is missing")
        })
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, JsonError> {
        match self.number()? {
            Number::Unsigned(value) => Ok(value),
            _ => Err(unfit()),
        }
    }

    pub(super) fn signed(&mut self) -> Result<i64, JsonError> {
        match self.number()? {
            Number::Unsigned(value) => value.try_into().map_err(|_| unfit()),
            Number::Signed(value) => Ok(value),
            Number::Float(_) => Err(unfit()),
        }
    }

    /// Reads a number; numbers that are not finite are encoded as text.
    pub(super) fn float(&mut self) -> Result<f64, JsonError> {
        if self.peek() == Some(b'"') {
            return match &*self.string()? {
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                "NaN" => Ok(f64::NAN),
                _ => Err(unfit()),
            };
        }
        Ok(match self.number()? {
            Number::Unsigned(value) => value as f64,
            Number::Signed(value) => value as f64,
            Number::Float(value) => value,
        })
    }

    /// Reads a word and returns its value, or `other` for an unknown one.
    pub fn word<T>(&mut self, value: fn(&str) -> Option<T>, other: Option<T>) -> Result<T, JsonError> {
        let word = self.string()?;
        value(&word).or(other).ok_or_else(|| error_about("unknown word", &word))
    }

    pub(super) fn items(
        &mut self,
        item: &mut dyn FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.enter(b'[')?;
        let mut is_first = true;
        while self.goes_on(&mut is_first, b']')? {
            item(self)?;
        }
        self.leave(b']')
    }

    pub(super) fn parts(&mut self, parts: &mut [&mut dyn Value]) -> Result<(), JsonError> {
        self.enter(b'[')?;
        let mut is_first = true;
        for part in parts {
            if !self.goes_on(&mut is_first, b']')? {
                return Err(unfit());
            }
            part.read(self)?;
        }
        self.leave(b']')
    }

    pub fn entries(
        &mut self,
        entry: &mut dyn FnMut(&str, &mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.enter(b'{')?;
        let mut is_first = true;
        while self.goes_on(&mut is_first, b'}')? {
            let key = self.string()?;
            self.expect(b':')?;
            entry(&key, self)?;
        }
        self.leave(b'}')
    }

    /// Reads an object with these members, in any order, but fastest in this one. Unknown members are skipped.
    pub fn members(
        &mut self,
        names: &[&'static str],
        lacking: &[&str],
        values: &mut [&mut dyn Value],
    ) -> Result<(), JsonError> {
        // One bit per member read. No answer has more members than bits.
        let (mut present, mut next) = (0_u64, 0);
        self.entries(&mut |key, reader| {
            let in_order = names[next..].iter().chain(&names[..next]).position(|name| *name == key);
            let Some(steps) = in_order else { return reader.skip() };
            let place = (next + steps) % names.len();
            next = (place + 1) % names.len();
            present |= 1 << place;
            values[place].read(reader)
        })?;
        let missing = |place: &usize| {
            present >> place & 1 == 0 && !values[*place].is_optional() && !lacking.contains(&names[*place])
        };
        (0..names.len())
            .find(missing)
            .map_or(Ok(()), |place| Err(error_about("missing member", names[place])))
    }

    pub fn skip(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(open @ (b'[' | b'{')) => {
                self.enter(open)?;
                // Both closing brackets are two code points after their opening ones.
                let (close, mut is_first) = (open + 2, true);
                while self.goes_on(&mut is_first, close)? {
                    if open == b'{' {
                        self.string()?;
                        self.expect(b':')?;
                    }
                    self.skip()?;
                }
                self.leave(close)
            }
            _ if ["null", "true", "false"].iter().any(|word| self.take_word(word)) => Ok(()),
            _ => self.number().map(drop),
        }
    }

    /// Fails unless only white space follows.
    pub(super) fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.at_position(error("more follows than one value"))),
        }
    }

    pub(super) fn at_position(&self, error: JsonError) -> JsonError {
        JsonError { what: Cow::Owned(format!("{error}, at byte {}", self.at.min(self.text.len()))) }
    }
}

/// Returns the message for a missing byte. It is static, because optional members often cause this error.
fn missing(byte: u8) -> &'static str {
    match byte {
        b'"' => "`\"` is missing",
        b'[' => "`[` is missing",
        b']' => "`]` is missing",
        b'{' => "`{` is missing",
        b'}' => "`}` is missing",
        b',' => "`,` is missing",
        _ => "`:` is missing",
    }
}

pub(super) fn error(what: &'static str) -> JsonError {
    JsonError { what: Cow::Borrowed(what) }
}

#[cold]
#[inline(never)]
fn error_about(what: &str, name: &str) -> JsonError {
    JsonError { what: Cow::Owned(format!("{what} `{name}`")) }
}

#[cold]
#[inline(never)]
pub(super) fn unfit() -> JsonError {
    error("a value is of another kind, or has too few parts")
}
