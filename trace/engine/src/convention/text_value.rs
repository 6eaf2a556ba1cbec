//! Typed values in formats that have only text (Perfetto's extra data) or untyped numbers (JSON).
//!
//! A text that looks like another type is quoted, so that values keep their type.

use syclscope_language::event::Value;

/// Writes a value as text: `7` unsigned, `+7` or `-7` signed, `7.0` floating point, `true`, `0x7` a pointer, and other
/// text unchanged.
pub(crate) fn stage_text(value: &Value<'_>, out: &mut String) {
    use std::fmt::Write as _;
    // Writing to a String does not fail.
    let _ = match value {
        Value::Str(text) => {
            quote_if(typed(text).is_some(), text, out);
            Ok(())
        }
        Value::Int(number) => write!(out, "{number:+}"),
        Value::Uint(number) => {
            out.push_str(itoa::Buffer::new().format(*number));
            Ok(())
        }
        Value::Float(number) => write!(out, "{number:?}"),
        Value::Bool(truth) => write!(out, "{truth}"),
        Value::Pointer(address) => write!(out, "{address:#x}"),
    };
}

/// Returns the value of a text that [`stage_text`] wrote.
pub(crate) fn stage_value(text: &str) -> Value<'_> {
    typed(text).unwrap_or_else(|| Value::Str(unquote(text, |inner| typed(inner).is_some())))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JsonText<'a> {
    Text(&'a str),
    /// A number or a boolean, written without quotes.
    Bare,
    /// A JSON string whose content is in the scratch text.
    Scratch,
}

/// Returns the value for JSON: numbers are written as numbers if that keeps their type (unsigned, negative, with a
/// decimal point), else text: `"+7"` signed, `"0x7"` a pointer, `"inf"`. Bare and scratch content is left in `scratch`.
pub(crate) fn json_value<'a>(value: &Value<'a>, scratch: &mut String) -> JsonText<'a> {
    scratch.clear();
    match *value {
        Value::Str(text) => {
            if !is_quoted(text) && json_typed(text).is_none() {
                return JsonText::Text(text);
            }
            quote_if(true, text, scratch);
            JsonText::Scratch
        }
        _ => {
            stage_text(value, scratch);
            match value {
                Value::Int(number) if *number >= 0 => JsonText::Scratch,
                Value::Float(number) if !number.is_finite() => JsonText::Scratch,
                Value::Pointer(_) => JsonText::Scratch,
                _ => JsonText::Bare,
            }
        }
    }
}

pub(crate) fn json_text(text: &str) -> Value<'_> {
    json_typed(text).unwrap_or_else(|| Value::Str(unquote(text, |inner| json_typed(inner).is_some())))
}

fn quote_if(ambiguous: bool, text: &str, out: &mut String) {
    if ambiguous || is_quoted(text) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(text);
    }
}

fn is_quoted(text: &str) -> bool {
    text.len() >= 2 && text.starts_with('"') && text.ends_with('"')
}

fn unquote(text: &str, ambiguous: impl Fn(&str) -> bool) -> &str {
    let inner = is_quoted(text).then(|| &text[1..text.len() - 1]);
    inner.filter(|inner| is_quoted(inner) || ambiguous(inner)).unwrap_or(text)
}

/// Returns the value of a text that does not look like a string.
fn typed(text: &str) -> Option<Value<'static>> {
    let first = *text.as_bytes().first()?;
    match first {
        b't' | b'f' => text.parse().ok().map(Value::Bool),
        b'0'..=b'9' if !text.starts_with("0x") => {
            if text.bytes().all(|byte| byte.is_ascii_digit()) {
                text.parse().ok().map(Value::Uint)
            } else {
                float(text)
            }
        }
        b'-' if text.len() > 1 && text[1..].bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok().map(Value::Int)
        }
        b'-' if text != "-inf" => float(text),
        _ => json_typed(text),
    }
}

fn float(text: &str) -> Option<Value<'static>> {
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'-' | b'+');
    text.bytes().all(plain).then(|| text.parse().ok().map(Value::Float))?
}

/// Returns the value of a JSON string that encodes a number which JSON can't express.
fn json_typed(text: &str) -> Option<Value<'static>> {
    match text {
        "inf" => Some(Value::Float(f64::INFINITY)),
        "-inf" => Some(Value::Float(f64::NEG_INFINITY)),
        "NaN" => Some(Value::Float(f64::NAN)),
        _ => match text.as_bytes() {
            [b'+', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                text.parse().ok().map(Value::Int)
            }
            [b'0', b'x', digits @ ..] => pointer(digits),
            _ => None,
        },
    }
}

/// Returns a pointer in our canonical form: lower case, no leading zeros.
fn pointer(digits: &[u8]) -> Option<Value<'static>> {
    let lower_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(lower_hex) {
        return None;
    }
    if digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    let text = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(text, 16).ok().map(Value::Pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &[&str] = &[
        "",
        "plain",
        "7",
        "-7",
        "+7",
        "0x7",
        "0x07",
        "0xF",
        "7.5",
        "1e3",
        "true",
        "false",
        "inf",
        "-inf",
        "NaN",
        "\"7\"",
        "\"\"7\"\"",
        "\"",
        "\"\"",
        "-",
        "+",
        "0x",
        "--1",
        "1-1",
        "99999999999999999999",
        "007",
        "é",
        "\"é\"",
    ];

    fn values() -> impl Iterator<Item = Value<'static>> {
        let numbers = [0, 1, 7, u64::MAX].into_iter().flat_map(|number| {
            let signed = number.cast_signed();
            let float = number as f64;
            [
                Value::Uint(number),
                Value::Pointer(number),
                Value::Int(signed),
                Value::Int(-7),
                Value::Float(float),
            ]
        });
        let others = [Value::Bool(true), Value::Float(-0.0), Value::Float(f64::INFINITY), Value::Float(1e-7)];
        TEXTS.iter().map(|text| Value::Str(text)).chain(numbers).chain(others)
    }

    #[test]
    fn stage_texts_round_trip() {
        for value in values() {
            let mut text = String::new();
            stage_text(&value, &mut text);
            assert_eq!(stage_value(&text), value, "{text}");
        }
    }

    #[test]
    fn json_texts_round_trip() {
        for value in values() {
            let mut scratch = String::new();
            match json_value(&value, &mut scratch) {
                JsonText::Text(text) => assert_eq!(json_text(text), value),
                JsonText::Scratch => assert_eq!(json_text(&scratch), value),
                JsonText::Bare => {
                    let parsed: serde_json::Value = serde_json::from_str(&scratch).unwrap();
                    let same = match value {
                        Value::Uint(number) => parsed.as_u64() == Some(number),
                        Value::Int(number) => parsed.as_i64() == Some(number) && number < 0,
                        Value::Float(number) => parsed.is_f64() && parsed.as_f64() == Some(number),
                        Value::Bool(truth) => parsed.as_bool() == Some(truth),
                        _ => false,
                    };
                    assert!(same, "{value:?} became {scratch}");
                }
            }
        }
    }
}
