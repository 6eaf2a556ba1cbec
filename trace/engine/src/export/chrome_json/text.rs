//! JSON text: strings, times and typed values.

use std::io::Write as _;

use syclscope_language::event::Value;

use crate::convention::{JsonText, json_value};

pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => print(out, format_args!("\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Appends nanoseconds as microseconds with three decimals.
pub(super) fn micros(out: &mut Vec<u8>, ns: u64) {
    print(out, format_args!("{}.{:03}", ns / 1000, ns % 1000));
}

pub(super) fn value(out: &mut Vec<u8>, value: &Value<'_>, scratch: &mut String) {
    match json_value(value, scratch) {
        JsonText::Text(text) => string(out, text),
        JsonText::Scratch => string(out, scratch),
        JsonText::Bare => out.extend_from_slice(scratch.as_bytes()),
    }
}

pub(super) fn print(out: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing to a Vec does not fail.
    let _ = out.write_fmt(arguments);
}
