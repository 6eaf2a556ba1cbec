//! One event of the format, with its texts unescaped.

use super::number;
use super::scanner::{Flaw, Raw, RawString, Scanner, unescape};
use crate::convention::json_text;
use crate::event::Value;
use crate::hash::hash_bytes;

/// A text of the file, or of what was unescaped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'a> {
    File(&'a str),
    /// Start and end in the unescaped text.
    Unescaped(usize, usize),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::File("")
    }
}

/// A value of an argument.
#[derive(Clone, Copy, Debug)]
enum ArgText<'a> {
    Text(Text<'a>),
    Number(&'a str),
    Bool(bool),
}

/// An event as it is in the file.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) phase: Option<u8>,
    pub(super) category: Text<'a>,
    pub(super) name: Text<'a>,
    /// Process and thread, by number or by a hash of their name.
    pub(super) pid: u64,
    pub(super) tid: u64,
    /// Time and duration in nanoseconds.
    pub(super) time: Option<i128>,
    pub(super) duration: Option<i128>,
    args: Vec<(Text<'a>, ArgText<'a>)>,
    unescaped: String,
    /// A text was not UTF-8 or had a wrong escape.
    pub(super) invalid_text: bool,
}

impl<'a> Record<'a> {
    /// Reads the next event; what the record held before is forgotten.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Flaw> {
        let (mut args, mut unescaped) = (std::mem::take(&mut self.args), std::mem::take(&mut self.unescaped));
        args.clear();
        unescaped.clear();
        *self = Self { args, unescaped, ..Self::default() };
        scanner.object(|scanner, key| {
            match key.bytes {
                b"args" if scanner.peek() == Some(b'{') => {
                    return scanner.object(|scanner, key| {
                        let key = self.text(key);
                        let value = self.arg(scanner.value()?);
                        self.args.push((key, value));
                        Ok(())
                    });
                }
                b"ph" => {
                    self.phase = self.string(scanner.value()?).and_then(|text| text.bytes.first().copied())
                }
                b"cat" => self.category = self.text_or_empty(scanner.value()?),
                b"name" => self.name = self.text_or_empty(scanner.value()?),
                b"pid" => self.pid = identity(scanner.value()?),
                b"tid" => self.tid = identity(scanner.value()?),
                b"ts" => self.time = time(scanner.value()?),
                b"dur" => self.duration = time(scanner.value()?),
                _ => {
                    scanner.value()?;
                }
            }
            Ok(())
        })
    }

    /// A text as it was meant.
    pub(super) fn resolve<'s>(&'s self, text: Text<'a>) -> &'s str
    where
        'a: 's,
    {
        match text {
            Text::File(text) => text,
            Text::Unescaped(start, end) => self.unescaped.get(start..end).unwrap_or_default(),
        }
    }

    /// The arguments, typed.
    pub(super) fn args(&self) -> Vec<(&str, Value<'_>)> {
        let value = |value| match value {
            ArgText::Text(text) => json_text(self.resolve(text)),
            ArgText::Number(number) => number::typed(number),
            ArgText::Bool(truth) => Value::Bool(truth),
        };
        self.args.iter().map(|(key, arg)| (self.resolve(*key), value(*arg))).collect()
    }

    fn string(&self, raw: Raw<'a>) -> Option<RawString<'a>> {
        match raw {
            Raw::String(text) => Some(text),
            _ => None,
        }
    }

    fn text_or_empty(&mut self, raw: Raw<'a>) -> Text<'a> {
        self.string(raw).map(|text| self.text(text)).unwrap_or_default()
    }

    fn text(&mut self, raw: RawString<'a>) -> Text<'a> {
        if !raw.has_escapes
            && let Ok(text) = std::str::from_utf8(raw.bytes)
        {
            return Text::File(text);
        }
        let start = self.unescaped.len();
        self.invalid_text |= !unescape(raw, &mut self.unescaped);
        Text::Unescaped(start, self.unescaped.len())
    }

    fn arg(&mut self, raw: Raw<'a>) -> ArgText<'a> {
        match raw {
            Raw::String(text) => ArgText::Text(self.text(text)),
            Raw::Number(number) => ArgText::Number(number),
            Raw::Bool(truth) => ArgText::Bool(truth),
            Raw::Null => ArgText::Text(Text::File("null")),
            // A list or an object stays the JSON text that it is.
            Raw::Nested(bytes) => ArgText::Text(self.text(RawString { bytes, has_escapes: false })),
        }
    }
}

fn identity(raw: Raw<'_>) -> u64 {
    match raw {
        Raw::Number(text) => match number::typed(text) {
            Value::Uint(number) => number,
            Value::Int(number) => number.cast_unsigned(),
            _ => hash_bytes(text.as_bytes()),
        },
        Raw::String(text) => match std::str::from_utf8(text.bytes).ok().and_then(|text| text.parse().ok()) {
            Some(number) => number,
            None => hash_bytes(text.bytes),
        },
        _ => 0,
    }
}

fn time(raw: Raw<'_>) -> Option<i128> {
    match raw {
        Raw::Number(text) => number::nanoseconds(text),
        Raw::String(text) => std::str::from_utf8(text.bytes).ok().and_then(number::nanoseconds),
        _ => None,
    }
}
