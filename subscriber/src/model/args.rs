//! A tracepoint's metadata as an event's arguments.

use std::borrow::Cow;

use syclscope_trace::event::Value;

use crate::record::Tracepoint;
use crate::xpti::MetadataValue;

/// Texts of the values of one tracepoint, in the order of its metadata.
pub(super) struct Texts<'a> {
    texts: Vec<Cow<'a, str>>,
}

impl<'a> Texts<'a> {
    pub(super) fn of(tracepoint: &Tracepoint<'a>) -> Self {
        let text = |(key, value): &(Cow<'a, str>, MetadataValue<'a>)| match value {
            MetadataValue::Text(text) => String::from_utf8_lossy(text),
            MetadataValue::Binary(bytes) => Cow::Owned(binary_text(key, bytes)),
            _ => Cow::Borrowed(""),
        };
        Self { texts: tracepoint.metadata.iter().map(text).collect() }
    }
}

/// The metadata, typed.
pub(super) fn of<'t>(tracepoint: &'t Tracepoint<'_>, texts: &'t Texts<'_>) -> Vec<(&'t str, Value<'t>)> {
    let values = tracepoint.metadata.iter().zip(&texts.texts);
    values
        .map(|((key, value), text)| {
            let value = match *value {
                MetadataValue::Text(_) | MetadataValue::Binary(_) => Value::Str(text),
                MetadataValue::Signed(value) if is_address(key) => Value::Pointer(value as u64),
                MetadataValue::Unsigned(value) if is_address(key) => Value::Pointer(value),
                MetadataValue::Signed(value) => Value::Int(value),
                MetadataValue::Unsigned(value) => Value::Uint(value),
                MetadataValue::Float(value) => Value::Float(value),
                MetadataValue::Bool(value) => Value::Bool(value),
            };
            (key.as_ref(), value)
        })
        .collect()
}

/// Numbers that are addresses or handles.
fn is_address(key: &str) -> bool {
    const ADDRESSES: [&str; 8] = [
        "sycl_device",
        "sycl_context",
        "queue_handle",
        "memory_object",
        "memory_ptr",
        "allocation_type_ptr",
        "src_memory_ptr",
        "dest_memory_ptr",
    ];
    ADDRESSES.contains(&key) || key.ends_with("_ptr") || key.ends_with("_handle")
}

/// Structures of the runtime that are known, else the bytes.
fn binary_text(key: &str, bytes: &[u8]) -> String {
    let word = |index: usize| {
        let bytes = bytes.get(index * 8..index * 8 + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    if key == "enqueue_kernel_data"
        && let Some(words) = (0..10).map(word).collect::<Option<Vec<u64>>>()
    {
        return format!(
            "global {:?}, local {:?}, offset {:?}, {} arguments",
            &words[0..3],
            &words[3..6],
            &words[6..9],
            words[9]
        );
    }
    if let (Some(number), [Some(head), Some(_), Some(tail)]) =
        (key.strip_prefix("arg"), [word(0), word(1), word(2)])
        && bytes.len() == 24
        && number.parse::<u32>().is_ok()
    {
        // Kind, place of the value (which is gone by now), size and index.
        let size = tail as u32;
        return match head as u32 {
            0 => "accessor".to_owned(),
            1 => format!("value of {size} bytes"),
            3 => format!("pointer of {size} bytes"),
            other => format!("kind {other}, {size} bytes"),
        };
    }
    let mut text = String::with_capacity(2 + bytes.len().min(64) * 2);
    text.push_str("0x");
    for byte in bytes.iter().take(64) {
        text.push_str(&format!("{byte:02x}"));
    }
    if bytes.len() > 64 {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::binary_text;

    #[test]
    fn structures_of_the_runtime_are_told_in_words() {
        let mut pointer = [0_u8; 24];
        (pointer[0], pointer[16]) = (3, 8);
        assert_eq!(binary_text("arg0", &pointer), "pointer of 8 bytes");
        let data: Vec<u8> =
            [64_u64, 1, 1, 8, 1, 1, 0, 0, 0, 2].iter().flat_map(|word| word.to_le_bytes()).collect();
        let text = "global [64, 1, 1], local [8, 1, 1], offset [0, 0, 0], 2 arguments";
        assert_eq!(binary_text("enqueue_kernel_data", &data), text);
        assert_eq!(binary_text("arg0", &[1, 255]), "0x01ff");
    }
}
