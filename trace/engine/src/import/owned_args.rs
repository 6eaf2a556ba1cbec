//! Copies of arguments, for slices whose start or end follows later in the file.

use syclscope_language::event::{Args, Value};

/// An owned copy of an argument.
#[derive(Debug)]
pub(super) enum Owned {
    Text(String),
    Int(i64),
    Uint(u64),
    Float(f64),
    Bool(bool),
    Pointer(u64),
}

impl Owned {
    fn new(value: &Value<'_>) -> Self {
        match *value {
            Value::Str(text) => Self::Text(text.to_owned()),
            Value::Int(number) => Self::Int(number),
            Value::Uint(number) => Self::Uint(number),
            Value::Float(number) => Self::Float(number),
            Value::Bool(truth) => Self::Bool(truth),
            Value::Pointer(address) => Self::Pointer(address),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Str(text),
            Self::Int(number) => Value::Int(*number),
            Self::Uint(number) => Value::Uint(*number),
            Self::Float(number) => Value::Float(*number),
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Pointer(address) => Value::Pointer(*address),
        }
    }
}

pub(super) type OwnedArgs = Vec<(String, Owned)>;

pub(super) fn owned(args: Args<'_>) -> OwnedArgs {
    args.iter().map(|(key, value)| ((*key).to_owned(), Owned::new(value))).collect()
}

pub(super) fn values(args: &[(String, Owned)]) -> Vec<(&str, Value<'_>)> {
    args.iter().map(|(key, value)| (key.as_str(), value.value())).collect()
}

/// Returns the length of the texts of arguments, in bytes.
pub(super) fn text_bytes(args: Args<'_>) -> usize {
    let value_bytes = |value: &Value<'_>| match value {
        Value::Str(text) => text.len(),
        _ => 0,
    };
    args.iter().map(|(key, value)| key.len() + value_bytes(value)).sum()
}
