//! One event of the format, with its texts unescaped.

use syclscope_language::event::Value;

use super::number::{self, Time};
use super::scanner::{Flaw, Raw, RawString, Scanner, unescape};
use crate::convention::json_text;
use crate::hash::hash_bytes;

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

#[derive(Clone, Copy, Debug)]
enum ArgText<'a> {
    Text(Text<'a>),
    Number(&'a str),
    Bool(bool),
}

#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) phase: Option<u8>,
    pub(super) category: Text<'a>,
    pub(super) name: Text<'a>,
    /// Process and thread, by number or by a hash of their name.
    pub(super) pid: u64,
    pub(super) tid: u64,
    /// Their names, if they have no number.
    pub(super) pid_name: Option<Text<'a>>,
    pub(super) tid_name: Option<Text<'a>>,
    /// Id shared by the parts of an asynchronous slice, a flow or an object, and true if it is local to its process.
    pub(super) id: Option<(u64, bool)>,
    pub(super) scope: Text<'a>,
    /// A flow through the event.
    pub(super) bind_id: Option<u64>,
    pub(super) flow_in: bool,
    pub(super) flow_out: bool,
    /// True if a flow's end belongs to the slice around the event.
    pub(super) binds_to_enclosing: bool,
    /// Scope of an instant: `t` thread, `p` process, `g` global.
    pub(super) reach: Option<u8>,
    /// Name of the innermost stack frame.
    pub(super) frame: Option<Text<'a>>,
    /// True if the event is an empty object.
    pub(super) is_empty: bool,
    /// Time and duration in nanoseconds.
    pub(super) time: Option<i128>,
    pub(super) duration: Option<i128>,
    args: Vec<(Text<'a>, ArgText<'a>)>,
    unescaped: String,
    pub(super) invalid_text: bool,
}

impl<'a> Record<'a> {
    /// Reads the next event, replacing this one.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Flaw> {
        let (mut args, mut unescaped) = (std::mem::take(&mut self.args), std::mem::take(&mut self.unescaped));
        args.clear();
        unescaped.clear();
        *self = Self { args, unescaped, is_empty: true, ..Self::default() };
        let (mut start, mut length) = (None, None);
        scanner.object(|scanner, key| {
            self.is_empty = false;
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
                b"pid" => {
                    let raw = scanner.value()?;
                    (self.pid, self.pid_name) = (identity(raw), self.name_of(raw));
                }
                b"tid" => {
                    let raw = scanner.value()?;
                    (self.tid, self.tid_name) = (identity(raw), self.name_of(raw));
                }
                b"ts" => start = time(scanner.value()?),
                b"dur" => length = time(scanner.value()?),
                b"id" => self.id = Some((identity(scanner.value()?), false)),
                b"id2" if scanner.peek() == Some(b'{') => {
                    return scanner.object(|scanner, key| {
                        let is_local = key.bytes == b"local";
                        self.id = Some((identity(scanner.value()?), is_local));
                        Ok(())
                    });
                }
                b"scope" => self.scope = self.text_or_empty(scanner.value()?),
                b"bind_id" => self.bind_id = Some(identity(scanner.value()?)),
                b"flow_in" => self.flow_in = matches!(scanner.value()?, Raw::Bool(true)),
                b"flow_out" => self.flow_out = matches!(scanner.value()?, Raw::Bool(true)),
                b"bp" => {
                    let text = self.string(scanner.value()?);
                    self.binds_to_enclosing = text.is_some_and(|text| text.bytes == b"e");
                }
                b"s" => {
                    self.reach = self.string(scanner.value()?).and_then(|text| text.bytes.first().copied());
                }
                b"sf" => {
                    self.frame = match scanner.value()? {
                        Raw::String(text) => Some(self.text(text)),
                        Raw::Number(number) => Some(Text::File(number)),
                        _ => None,
                    };
                }
                b"stack" if scanner.peek() == Some(b'[') => {
                    let stack = self.arg(scanner.value()?);
                    self.args.push((Text::File("stack"), stack));
                }
                _ => {
                    scanner.value()?;
                }
            }
            Ok(())
        })?;
        self.time = start.map(Time::rounded_ns);
        // A start before the origin is moved to it, and the end stays.
        let from = self.time.unwrap_or_default().max(0);
        self.duration =
            length.map(|length| start.unwrap_or_default().after(length).rounded_ns().saturating_sub(from));
        Ok(())
    }

    /// Returns the name of a process or thread without a number.
    fn name_of(&mut self, raw: Raw<'a>) -> Option<Text<'a>> {
        match raw {
            Raw::String(text) if text.bytes.is_empty() || !text.bytes.iter().all(u8::is_ascii_digit) => {
                Some(self.text(text))
            }
            _ => None,
        }
    }

    pub(super) fn resolve<'s>(&'s self, text: Text<'a>) -> &'s str
    where
        'a: 's,
    {
        match text {
            Text::File(text) => text,
            Text::Unescaped(start, end) => self.unescaped.get(start..end).unwrap_or_default(),
        }
    }

    /// Appends the arguments with their types.
    pub(super) fn push_args<'s>(&'s self, args: &mut Vec<(&'s str, Value<'s>)>) {
        let value = |value| match value {
            ArgText::Text(text) => json_text(self.resolve(text)),
            ArgText::Number(number) => number::typed(number),
            ArgText::Bool(truth) => Value::Bool(truth),
        };
        args.extend(self.args.iter().map(|(key, arg)| (self.resolve(*key), value(*arg))));
    }

    pub(super) fn args(&self) -> Vec<(&str, Value<'_>)> {
        let mut args = Vec::new();
        self.push_args(&mut args);
        args
    }

    /// Returns the text of an argument, even if it looks like a number; `None` if it is no text or an empty one.
    pub(super) fn text_arg(&self, wanted: &str) -> Option<&str> {
        let (_, value) = self.args.iter().find(|(key, _)| self.resolve(*key) == wanted)?;
        match value {
            ArgText::Text(text) => Some(self.resolve(*text)).filter(|text| !text.is_empty()),
            ArgText::Number(_) | ArgText::Bool(_) => None,
        }
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
            // A list or an object stays JSON text.
            Raw::Nested(bytes) => ArgText::Text(self.text(RawString { bytes, has_escapes: false })),
        }
    }
}

/// Whole numbers below this are exact as floating point.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

fn identity(raw: Raw<'_>) -> u64 {
    match raw {
        Raw::Number(text) => match number::typed(text) {
            Value::Uint(number) => number,
            Value::Int(number) => number.cast_unsigned(),
            // A language without integers may write 1 as `1.0`.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < MAX_WHOLE => {
                (number as i64).cast_unsigned()
            }
            _ => hash_bytes(text.as_bytes()),
        },
        Raw::String(text) => match std::str::from_utf8(text.bytes).ok().and_then(number_of) {
            Some(number) => number,
            // Outside the range of numbers that programs use.
            None => hash_bytes(text.bytes) | 1 << 63,
        },
        _ => 0,
    }
}

/// Returns the number in a text: decimal, or hexadecimal after `0x`.
fn number_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

pub(super) fn text_of(raw: RawString<'_>) -> String {
    let mut text = String::new();
    unescape(raw, &mut text);
    text
}

fn time(raw: Raw<'_>) -> Option<Time> {
    match raw {
        Raw::Number(text) => number::time(text),
        Raw::String(text) => std::str::from_utf8(text.bytes).ok().and_then(number::time),
        _ => None,
    }
}
