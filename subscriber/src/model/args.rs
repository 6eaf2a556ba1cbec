//! A tracepoint's metadata as an event's arguments.

use std::borrow::Cow;

use syclscope_language::event::Value;

use super::commands::size_text;
use crate::record::{Tracepoint, lossy};
use crate::xpti::MetadataValue;

pub(super) struct Decoded<'a> {
    items: Vec<(Cow<'a, str>, ArgValue<'a>)>,
}

/// A value that owns or borrows its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ArgValue<'a> {
    Text(Cow<'a, str>),
    Value(Value<'static>),
}

impl ArgValue<'_> {
    pub(super) fn as_value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Str(text),
            Self::Value(value) => *value,
        }
    }

    fn into_owned(self) -> ArgValue<'static> {
        match self {
            Self::Text(text) => ArgValue::Text(Cow::Owned(text.into_owned())),
            Self::Value(value) => ArgValue::Value(value),
        }
    }
}

impl<'a> Decoded<'a> {
    pub(super) fn new(tracepoint: &Tracepoint<'a>) -> Self {
        let mut items = Vec::with_capacity(tracepoint.metadata.len());
        for (key, value) in &tracepoint.metadata {
            let item = match *value {
                MetadataValue::Text(text) => ArgValue::Text(lossy(text)),
                MetadataValue::Binary(bytes) => match kernel_data(key, bytes) {
                    Some(data) => {
                        items.extend(data);
                        continue;
                    }
                    None => ArgValue::Text(Cow::Owned(binary_text(key, bytes))),
                },
                MetadataValue::Signed(value) if is_address(key) => {
                    ArgValue::Value(Value::Pointer(value as u64))
                }
                MetadataValue::Unsigned(value) if is_address(key) => ArgValue::Value(Value::Pointer(value)),
                MetadataValue::Signed(value) => ArgValue::Value(Value::Int(value)),
                MetadataValue::Unsigned(value) => ArgValue::Value(Value::Uint(value)),
                MetadataValue::Float(value) => ArgValue::Value(Value::Float(value)),
                MetadataValue::Bool(value) => ArgValue::Value(Value::Bool(value)),
            };
            items.push((key.clone(), item));
        }
        Self { items }
    }

    pub(super) fn into_owned(self) -> Decoded<'static> {
        let items = self.items.into_iter();
        let items = items.map(|(key, item)| (Cow::Owned(key.into_owned()), item.into_owned()));
        Decoded { items: items.collect() }
    }

    pub(super) fn args(&self) -> Vec<(&str, Value<'_>)> {
        self.items.iter().map(|(key, item)| (key.as_ref(), item.as_value())).collect()
    }
}

/// True if numbers with this key are addresses or handles.
fn is_address(key: &str) -> bool {
    const ADDRESSES: [&str; 6] =
        ["sycl_device", "sycl_context", "memory_object", "copy_from", "copy_to", "event"];
    ADDRESSES.contains(&key) || key.ends_with("_ptr") || key.ends_with("_handle")
}

fn word(bytes: &[u8], index: usize) -> Option<u64> {
    let bytes = bytes.get(index * 8..index * 8 + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Returns an `xpti::offload_kernel_enqueue_data_t` as arguments, without sizes chosen by the runtime and zero offsets.
fn kernel_data<'a>(key: &str, bytes: &[u8]) -> Option<Vec<(Cow<'a, str>, ArgValue<'a>)>> {
    if key != "enqueue_kernel_data" || bytes.len() != 80 {
        return None;
    }
    let words: Vec<u64> = (0..10).map(|index| word(bytes, index)).collect::<Option<_>>()?;
    let sizes = ["global_size", "local_size", "offset"].into_iter().zip(words.chunks(3));
    let mut args: Vec<(Cow<'a, str>, ArgValue<'a>)> = sizes
        .filter(|(_, sizes)| sizes.iter().any(|size| *size != 0))
        .map(|(key, sizes)| (key.into(), ArgValue::Text(text_of_sizes(key, sizes).into())))
        .collect();
    args.push(("arguments".into(), ArgValue::Value(Value::Uint(words[9]))));
    Some(args)
}

/// Returns sizes as text. Unused dimensions of a launch are zero, or one in the runtime's own text; an offset may be
/// zero.
fn text_of_sizes(key: &str, sizes: &[u64]) -> String {
    let sizes = [sizes[0], sizes[1], sizes[2]];
    if key == "offset" { sizes.map(|size| size.to_string()).join(" × ") } else { size_text(sizes) }
}

/// Returns the text of a known structure of the runtime, else the bytes.
fn binary_text(key: &str, bytes: &[u8]) -> String {
    if let (Some(number), [Some(head), Some(_), Some(tail)]) =
        (key.strip_prefix("arg"), [word(bytes, 0), word(bytes, 1), word(bytes, 2)])
        && bytes.len() == 24
        && number.parse::<u32>().is_ok()
    {
        return kernel_argument(head as u32, tail as u32);
    }
    let mut text = String::with_capacity(2 + bytes.len().min(MAX_BYTES) * 2);
    text.push_str("0x");
    for byte in bytes.iter().take(MAX_BYTES) {
        text.push_str(&format!("{byte:02x}"));
    }
    if bytes.len() > MAX_BYTES {
        text.push('…');
    }
    text
}

/// Maximum recorded bytes of an argument of unknown type.
const MAX_BYTES: usize = 256;

/// Returns a text for an `xpti::offload_kernel_arg_data_t`: its kind (`sycl::detail::kernel_param_kind_t`) and size,
/// without the address of the value, which is invalid by now. For accessors, the size is the access target.
fn kernel_argument(kind: u32, size: u32) -> String {
    let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
    match kind {
        0 => "accessor".to_owned(),
        1 => format!("value of {bytes}"),
        2 => "sampler".to_owned(),
        3 => format!("pointer of {bytes}"),
        4 => "specialization constants".to_owned(),
        5 => "stream".to_owned(),
        6 | 7 => format!("work-group memory of {bytes}"),
        8 => "dynamic accessor".to_owned(),
        9 => format!("struct of {bytes}"),
        other => format!("kind {other}, {bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_of_the_runtime_are_told_in_words() {
        let mut pointer = [0_u8; 24];
        (pointer[0], pointer[16]) = (3, 8);
        assert_eq!(binary_text("arg0", &pointer), "pointer of 8 bytes");
        assert_eq!(binary_text("arg0", &[1, 255]), "0x01ff");
        assert_eq!(binary_text("argument", &pointer).len(), 2 + 48);
    }

    #[test]
    fn launch_sizes_are_arguments() {
        let data = |words: [u64; 10]| -> Vec<(String, String)> {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let items = kernel_data("enqueue_kernel_data", &bytes).unwrap();
            let args = Decoded { items };
            args.args().iter().map(|(key, value)| ((*key).to_owned(), format!("{value:?}"))).collect()
        };
        let expected = [
            ("global_size", "Str(\"64 × 2 × 1\")"),
            ("local_size", "Str(\"8 × 1 × 1\")"),
            ("offset", "Str(\"0 × 1 × 0\")"),
            ("arguments", "Uint(2)"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(data([64, 2, 1, 8, 1, 1, 0, 1, 0, 2]), expected);
        assert_eq!(data([64, 2, 1, 0, 0, 0, 0, 0, 0, 2]).len(), 2);
        assert!(kernel_data("enqueue_kernel_data", &[0; 16]).is_none());
    }
}
