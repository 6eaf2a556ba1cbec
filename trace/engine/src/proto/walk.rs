//! Reader of the fields of a protobuf message, without its schema.

use super::wire;

/// A field's value as encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// An integer, a boolean or an enum.
    Varint(u64),
    /// Eight bytes: a `double`, or a fixed integer.
    Fixed64(u64),
    /// Four bytes: a `float`, or a fixed integer.
    Fixed32(u32),
    /// A string, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Appends the integers of a repeated field's entry: one, or several packed ones.
    pub(crate) fn push_to(self, out: &mut Vec<u64>) {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => out.push(value),
            Self::Fixed32(value) => out.push(value.into()),
            Self::Bytes(bytes) => {
                let mut packed = Fields::new(bytes);
                while packed.at < bytes.len() {
                    let Ok(value) = packed.varint() else { break };
                    out.push(value);
                }
            }
        }
    }

    /// Appends the eight-byte numbers of a repeated field's entry: one, or several packed ones.
    pub(crate) fn push_fixed_to(self, out: &mut Vec<u64>) {
        match self {
            Self::Bytes(bytes) => {
                out.extend(bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)))
            }
            other => other.push_to(out),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) number: u32,
    pub(crate) value: Value<'a>,
}

/// Error: the bytes at an offset are not a field, or are truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Offset of the field in the message.
    pub(crate) offset: usize,
    /// True if the message ends within the field.
    pub(crate) truncated: bool,
}

/// Iterator over the fields of a message; ends after the first malformed field.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { bytes: message, at: 0 }
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the fields before the first malformed one.
    #[inline(always)]
    pub(crate) fn readable(self) -> impl Iterator<Item = Field<'a>> {
        self.map_while(Result::ok)
    }

    // Inlined into its callers, so that no value is ever built in memory.
    #[inline(always)]
    fn read(&mut self) -> Result<Field<'a>, Option<()>> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number != 0).ok_or(Some(()))?;
        let value = match (tag & 7) as u8 {
            wire::VARINT => Value::Varint(self.varint()?),
            wire::FIXED64 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            wire::LEN => {
                let length = usize::try_from(self.varint()?).map_err(|_| None)?;
                Value::Bytes(self.take(length)?)
            }
            wire::FIXED32 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(Some(())),
        };
        Ok(Field { number, value })
    }

    #[inline(always)]
    fn take(&mut self, length: usize) -> Result<&'a [u8], Option<()>> {
        let rest = self.bytes.get(self.at..).ok_or(None)?;
        let taken = rest.get(..length).ok_or(None)?;
        self.at += length;
        Ok(taken)
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Option<()>> {
        self.take(N)?.try_into().map_err(|_| None)
    }

    /// Returns a varint; `Err(None)` if it is truncated, `Err(Some(()))` if it is too long.
    #[inline(always)]
    fn varint(&mut self) -> Result<u64, Option<()>> {
        // Most are one byte long.
        match self.bytes.get(self.at) {
            Some(byte) if *byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Option<()>> {
        // With enough bytes left, the loop needs no bounds checks.
        if let Some(bytes) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<10>()) {
            let mut value = 0_u64;
            for (position, byte) in bytes.iter().enumerate() {
                value |= u64::from(byte & 0x7f) << (7 * position);
                if *byte < 0x80 {
                    self.at += position + 1;
                    return Ok(value);
                }
            }
            return Err(Some(()));
        }
        let mut value = 0_u64;
        let mut shift = 0;
        loop {
            let byte = *self.bytes.get(self.at).ok_or(None)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
            if shift > 63 {
                return Err(Some(()));
            }
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Malformed>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let offset = self.at;
        Some(self.read().map_err(|error| {
            self.at = self.bytes.len();
            Malformed { offset, truncated: error.is_none() }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_and_truncated_fields_end_the_walk() {
        let cut = |bytes: &'static [u8]| Fields::new(bytes).last().unwrap().unwrap_err();
        assert!(cut(&[0x0a, 5, 1, 2]).truncated, "a length past the end");
        assert!(cut(&[0x08, 0x80]).truncated, "a varint past the end");
        assert!(!cut(&[0x0b]).truncated, "a group");
        assert!(!cut(&[0x00, 0x00]).truncated, "field number 0");
        assert_eq!(cut(&[0x08, 1, 0x0f]).offset, 2);
        assert!(!cut(&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]).truncated, "eleven bytes");
    }
}
