//! Detection of a file's format by its first bytes.

use super::ImportError;
use crate::proto::fields::{packet, trace};
use crate::proto::walk::{Fields, Value};
use crate::proto::wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Perfetto,
    ChromeJson,
}

pub(super) const SNIFFED_BYTES: usize = 4096;

/// Signatures of unsupported compressions, with the command that decompresses them.
const COMPRESSED: &[(&[u8], &str, &str)] =
    &[(b"\xfd7zXZ", "xz", "unxz FILE"), (b"BZh", "bzip2", "bunzip2 FILE")];

/// Signatures of files that are often mistaken for traces.
const OTHERS: &[(&[u8], &str)] = &[
    (b"\x7fELF", "a program (ELF)"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"SQLite format 3", "an SQLite database"),
    (b"<", "an HTML or XML document"),
    (b"#!", "a script"),
];

pub(super) fn sniff(bytes: &[u8]) -> Result<Format, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty);
    }
    if let Some((_, found, remedy)) = COMPRESSED.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Err(ImportError::Compressed { found, remedy });
    }
    if starts_with_plane(bytes) {
        return Err(ImportError::Unread {
            found: "a profile of XLA (.xplane.pb), as JAX and TensorFlow write it",
            instead: "open the .trace.json.gz that lies beside it",
        });
    }
    if starts_with_packet(bytes) {
        return Ok(Format::Perfetto);
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    match text.first() {
        Some(b'[' | b'{') => Ok(Format::ChromeJson),
        _ => Err(not_a_trace(bytes)),
    }
}

fn not_a_trace(bytes: &[u8]) -> ImportError {
    let known =
        OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, found)| (*found).to_owned());
    let start = &bytes[..bytes.len().min(512)];
    let is_text = || match std::str::from_utf8(start) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    let found = known.unwrap_or_else(|| {
        if is_text() {
            let line = String::from_utf8_lossy(start);
            let line: String = line.trim_start().chars().take_while(|c| !c.is_control()).take(24).collect();
            format!("a text that starts with {line:?}")
        } else if start.iter().all(|byte| *byte == 0) {
            "a file of zeros (was its disk full?)".to_owned()
        } else {
            let hex: Vec<_> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("unknown binary data that starts with {}", hex.join(" "))
        }
    });
    ImportError::NotATrace { found }
}

/// True if the bytes start with a trace packet, complete or truncated, whose fields match Perfetto's schema.
fn starts_with_packet(bytes: &[u8]) -> bool {
    if bytes[0] != (trace::PACKET << 3) as u8 | wire::LEN {
        return false;
    }
    let body = match Fields::new(bytes).next() {
        Some(Ok(field)) => match field.value {
            Value::Bytes(body) => body,
            _ => return false,
        },
        // The packet is truncated: check the available part.
        Some(Err(error)) if error.truncated => after_length(&bytes[1..]),
        _ => return false,
    };
    for field in Fields::new(body) {
        match field {
            Ok(field) if is_plausible(field.number, field.value) => {}
            Ok(_) => return false,
            Err(error) => return error.truncated,
        }
    }
    true
}

/// True if the bytes start with a plane of XLA's `XSpace`, complete or truncated: a number, and a name, which no
/// Perfetto packet has in this position.
fn starts_with_plane(bytes: &[u8]) -> bool {
    if bytes[0] != 1 << 3 | wire::LEN {
        return false;
    }
    for field in Fields::new(after_length(&bytes[1..])) {
        match field.map(|field| (field.number, field.value)) {
            Ok((1, Value::Varint(_))) => {}
            Ok((2, Value::Bytes(name))) => {
                let known: [&[u8]; 4] = [b"/host:", b"/device:", b"Task Environment", b"#"];
                return known.iter().any(|start| name.starts_with(start))
                    && std::str::from_utf8(name).is_ok();
            }
            _ => return false,
        }
    }
    false
}

/// Returns the bytes after a length, which may itself be truncated.
fn after_length(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().position(|byte| *byte < 0x80).map_or(bytes.len(), |last| last + 1);
    &bytes[length..]
}

/// True if a field of a packet has the wire type of the schema.
fn is_plausible(number: u32, value: Value<'_>) -> bool {
    let is_number = matches!(
        number,
        3 | packet::TIMESTAMP
            | packet::TRUSTED_PACKET_SEQUENCE_ID
            | packet::SEQUENCE_FLAGS
            | packet::INCREMENTAL_STATE_CLEARED
            | packet::PREVIOUS_PACKET_DROPPED
            | packet::TIMESTAMP_CLOCK_ID
            | packet::FIRST_PACKET_ON_SEQUENCE
            | 79
            | 98
    );
    match value {
        Value::Varint(_) => is_number,
        Value::Bytes(_) => !is_number && number < 2000,
        Value::Fixed32(_) | Value::Fixed64(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_error(bytes: &[u8], part: &str) {
        let error = sniff(bytes).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_is_no_trace_is_named() {
        assert_error(b"", "empty");
        assert_error(b"\xfd7zXZ\x00", "unxz");
        assert_error(b"hello world\nmore", "a text that starts with \"hello world\"");
        assert_error(b"\nhello world, this is a text", "a text that starts with");
        assert_error(b"\x7fELF\x02", "a program (ELF)");
        assert_error(&[0; 100], "zeros");
        assert_error(b"\x0a\x90\x4e\x08\x01\x12\x09/host:CPU\x1a\x80\x20", "open the .trace.json.gz");
        assert_error(b"\x0a\x14\x12\x10Task Environment\x22\x00", "a profile of XLA (.xplane.pb)");
        assert_error(&[0xfe, 0xed, 0xfa, 0xce, 0x80], "fe ed fa ce");
    }

    #[test]
    fn formats_are_told_apart() {
        assert_eq!(sniff(b" \n[{"), Ok(Format::ChromeJson));
        assert_eq!(sniff(b"\xef\xbb\xbf{\"traceEvents\""), Ok(Format::ChromeJson));
        assert_eq!(sniff(&[0x0a, 2, 0x50, 1]), Ok(Format::Perfetto));
        assert_eq!(sniff(&[0x0a, 200, 1, 0x50, 1]), Ok(Format::Perfetto), "cut off in its first packet");
        assert_eq!(sniff(&[0x0a]), Ok(Format::Perfetto), "cut off after its first byte");
    }
}
