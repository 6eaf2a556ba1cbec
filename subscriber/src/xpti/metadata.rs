//! Keys and values of tracepoints' metadata.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MetadataValue<'a> {
    Text(&'a [u8]),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Bool(bool),
    /// Bytes whose meaning depends on the key.
    Binary(&'a [u8]),
}

impl<'a> MetadataValue<'a> {
    pub(super) fn decode(kind: u8, bytes: &'a [u8]) -> Self {
        match (kind, bytes.len()) {
            (1, _) => Self::Text(bytes),
            (2, 1..=8) => Self::Signed(sign_extended(bytes)),
            (3, 1..=8) => Self::Unsigned(zero_extended(bytes)),
            (4, 4) => Self::Float(f32::from_bits(zero_extended(bytes) as u32).into()),
            (4, 8) => Self::Float(f64::from_bits(zero_extended(bytes))),
            (5, 1) => Self::Bool(bytes[0] != 0),
            _ => Self::Binary(bytes),
        }
    }

    /// Returns an integer as an unsigned one.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::Signed(value) => Some(value as u64),
            Self::Unsigned(value) => Some(value),
            Self::Bool(value) => Some(value.into()),
            _ => None,
        }
    }
}

fn zero_extended(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn sign_extended(bytes: &[u8]) -> i64 {
    let unused_bits = 64 - 8 * bytes.len() as u32;
    ((zero_extended(bytes) << unused_bits) as i64) >> unused_bits
}

/// A metadata key, by name. Its framework id is learned on first use.
pub(crate) struct Key {
    name: &'static [u8],
    id: AtomicU32,
}

impl Key {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name: name.as_bytes(), id: AtomicU32::new(0) }
    }

    #[inline]
    pub(super) fn is(&self, id: u32, name_of: impl FnOnce(u32) -> &'static [u8]) -> bool {
        match self.id.load(Ordering::Relaxed) {
            0 => {
                let is_it = name_of(id) == self.name;
                if is_it {
                    self.id.store(id, Ordering::Relaxed);
                }
                is_it
            }
            known => known == id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_by_type_and_size() {
        assert_eq!(MetadataValue::decode(1, b"gpu"), MetadataValue::Text(b"gpu"));
        assert_eq!(MetadataValue::decode(2, &(-2_i32).to_le_bytes()), MetadataValue::Signed(-2));
        assert_eq!(MetadataValue::decode(3, &7_u64.to_le_bytes()), MetadataValue::Unsigned(7));
        assert_eq!(MetadataValue::decode(4, &1.5_f32.to_le_bytes()), MetadataValue::Float(1.5));
        assert_eq!(MetadataValue::decode(5, &[1]), MetadataValue::Bool(true));
        assert_eq!(MetadataValue::decode(9, &[1, 2]), MetadataValue::Binary(&[1, 2]));
        assert_eq!(MetadataValue::decode(3, &[]), MetadataValue::Binary(&[]));
    }
}
