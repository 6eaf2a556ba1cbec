//! Writer of protobuf fields, which appends to a buffer.

use super::wire;

#[inline]
pub(crate) fn varint(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 { out.push(value as u8) } else { long_varint(out, value) }
}

fn long_varint(out: &mut Vec<u8>, value: u64) {
    let mut bytes = Short::default();
    bytes.varint(value);
    out.extend_from_slice(bytes.as_slice());
}

/// Returns a number's lowest 56 bits, seven in each byte: the groups are halved three times.
fn in_sevens(value: u64) -> u64 {
    let halves = value & 0xfff_ffff | (value & 0xff_ffff_f000_0000) << 4;
    let quarters = halves & 0x3fff_0000_3fff | (halves & 0xfff_c000_0fff_c000) << 2;
    quarters & 0x7f_007f_007f_007f | (quarters & 0x3f80_3f80_3f80_3f80) << 1
}

/// A few encoded numbers, at most [`MAX_SHORT_BYTES`] bytes, that are appended together, so that the buffer grows only
/// once.
pub(crate) struct Short {
    bytes: [u8; MAX_SHORT_BYTES],
    length: usize,
}

/// Enough for five fields with numbers of ten bytes.
const MAX_SHORT_BYTES: usize = 64;

impl Default for Short {
    fn default() -> Self {
        Self { bytes: [0; MAX_SHORT_BYTES], length: 0 }
    }
}

impl Short {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    #[inline]
    fn varint(&mut self, value: u64) {
        if value < 0x80 { self.push(value as u8) } else { self.long_varint(value) }
    }

    /// Appends a number of several bytes, the first eight of them at once.
    fn long_varint(&mut self, mut value: u64) {
        /// The bit that every byte but the last one has.
        const CONTINUES: u64 = 0x8080_8080_8080_8080;
        let length = varint_length(value);
        if let Some(place) = self.bytes.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            let continued = if length > 8 { u64::MAX } else { (1 << (8 * (length - 1))) - 1 };
            *place = (in_sevens(value) | CONTINUES & continued).to_le_bytes();
            self.length += length.min(8);
            if length <= 8 {
                return;
            }
            value >>= 56;
        }
        while value >= 0x80 {
            self.push((value as u8) | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    /// Appends the head of a message field whose body has `length` bytes; the body follows these numbers.
    #[inline]
    pub(crate) fn message_head(&mut self, field: u32, length: usize) {
        self.varint(u64::from(field) << 3 | u64::from(wire::LEN));
        self.varint(length as u64);
    }

    /// Appends an unsigned (or boolean, or enum) field.
    #[inline]
    pub(crate) fn uint(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field) << 3 | u64::from(wire::VARINT));
        self.varint(value);
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends the numbers to a buffer. A copy of a fixed number of bytes compiles to a few moves, any other to a call.
    #[inline]
    pub(crate) fn append_to(&self, out: &mut Vec<u8>) {
        const USUAL: usize = MAX_SHORT_BYTES / 2;
        if self.length > USUAL {
            return out.extend_from_slice(self.as_slice());
        }
        let length = out.len() + self.length;
        out.extend_from_slice(&self.bytes[..USUAL]);
        out.truncate(length);
    }
}

/// Appends a message field with a few numbers; the field's number is below 16.
#[inline]
pub(crate) fn short_message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Short)) {
    const HEAD: usize = 2;
    let mut whole = Short { length: HEAD, ..Short::default() };
    write(&mut whole);
    // The tag and the length are one byte each.
    debug_assert!(field < 16);
    whole.bytes[0] = (field << 3) as u8 | wire::LEN;
    whole.bytes[1] = (whole.length - HEAD) as u8;
    whole.append_to(out);
}

#[inline]
fn tag(out: &mut Vec<u8>, field: u32, wire_type: u8) {
    varint(out, u64::from(field) << 3 | u64::from(wire_type));
}

/// Appends an unsigned (or boolean, or enum) field.
#[inline]
pub(crate) fn uint(out: &mut Vec<u8>, field: u32, value: u64) {
    tag(out, field, wire::VARINT);
    varint(out, value);
}

/// Appends an `int64` field: two's complement, ten bytes when negative.
pub(crate) fn int(out: &mut Vec<u8>, field: u32, value: i64) {
    uint(out, field, value.cast_unsigned());
}

pub(crate) fn double(out: &mut Vec<u8>, field: u32, value: f64) {
    tag(out, field, wire::FIXED64);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a string or bytes field.
#[inline]
pub(crate) fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    tag(out, field, wire::LEN);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Returns the number of bytes that [`bytes()`] appends.
pub(crate) fn bytes_length(field: u32, value: &[u8]) -> usize {
    varint_length(u64::from(field) << 3) + varint_length(value.len() as u64) + value.len()
}

/// Returns the number of bytes that [`uint`] appends.
pub(crate) const fn uint_length(field: u32, value: u64) -> usize {
    varint_length((field as u64) << 3) + varint_length(value)
}

const fn varint_length(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

pub(crate) fn text(out: &mut Vec<u8>, field: u32, value: &str) {
    bytes(out, field, value.as_bytes());
}

/// Appends a string field unless it is empty.
pub(crate) fn text_if_any(out: &mut Vec<u8>, field: u32, value: &str) {
    if !value.is_empty() {
        text(out, field, value);
    }
}

/// Appends a message field whose body `write` appends.
pub(crate) fn message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    tag(out, field, wire::LEN);
    out.push(0);
    let start = out.len();
    write(out);
    let length = out.len() - start;
    if length < 0x80 {
        out[start - 1] = length as u8;
        return;
    }
    // The length of a long body needs more than the reserved byte.
    let mut prefix = Short::default();
    prefix.varint(length as u64);
    let prefix = prefix.as_slice();
    let end = out.len();
    out.resize(end + prefix.len() - 1, 0);
    out.copy_within(start..end, start + prefix.len() - 1);
    out[start - 1..start - 1 + prefix.len()].copy_from_slice(prefix);
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Fields, Value};
    use super::*;

    #[test]
    fn short_messages_are_as_long_ones() {
        for numbers in [&[][..], &[7], &[u64::MAX; 5]] {
            let (mut short, mut long) = (vec![1], vec![1]);
            short_message(&mut short, 4, |body| numbers.iter().for_each(|number| body.uint(1, *number)));
            message(&mut long, 4, |body| numbers.iter().for_each(|number| uint(body, 1, *number)));
            assert_eq!(short, long);
        }
    }

    #[test]
    fn long_and_short_messages_read_back() {
        for length in [0, 1, 127, 128, 129, 20_000] {
            let body = vec![7; length];
            let mut out = Vec::new();
            message(&mut out, 11, |out| bytes(out, 2, &body));
            let mut outer = Fields::new(&out);
            let field = outer.next().unwrap().unwrap();
            assert_eq!(field.number, 11);
            let Value::Bytes(inner) = field.value else { panic!("not a message") };
            let field = Fields::new(inner).next().unwrap().unwrap();
            assert_eq!((field.number, field.value), (2, Value::Bytes(&body)));
            assert!(outer.next().is_none());
        }
    }

    #[test]
    fn lengths_are_known_before_they_are_written() {
        for bits in 0..64 {
            for value in [1_u64 << bits, (1_u64 << bits) - 1, u64::MAX >> bits] {
                let mut out = Vec::new();
                varint(&mut out, value);
                assert_eq!(varint_length(value), out.len(), "{value}");
            }
        }
        let mut out = Vec::new();
        bytes(&mut out, 300, &[7; 200]);
        assert_eq!(bytes_length(300, &[7; 200]), out.len());
        out.clear();
        uint(&mut out, 300, 1 << 40);
        assert_eq!(uint_length(300, 1 << 40), out.len());
    }

    #[test]
    fn every_byte_of_a_number_has_seven_bits() {
        for bits in 0..64 {
            for value in [1 << bits, (1 << bits) - 1, u64::MAX >> bits, 0xfedc_ba98_7654_3210_u64 >> bits] {
                let (mut expected, mut rest) = (Vec::new(), value);
                while rest >= 0x80 {
                    expected.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                expected.push(rest as u8);
                let mut out = Vec::new();
                varint(&mut out, value);
                assert_eq!(out, expected);
                let mut full = Short { length: MAX_SHORT_BYTES - expected.len(), ..Short::default() };
                full.varint(value);
                assert!(full.as_slice().ends_with(&expected), "{value}");
            }
        }
    }

    #[test]
    fn numbers_read_back() {
        let mut out = Vec::new();
        for value in [0, 1, 127, 128, 1 << 35, u64::MAX] {
            out.clear();
            uint(&mut out, 3000, value);
            let field = Fields::new(&out).next().unwrap().unwrap();
            assert_eq!((field.number, field.value), (3000, Value::Varint(value)));
        }
        out.clear();
        int(&mut out, 4, -3);
        double(&mut out, 5, 0.5);
        let values: Vec<_> = Fields::new(&out).map(|field| field.unwrap().value).collect();
        assert_eq!(values, [Value::Varint(-3_i64 as u64), Value::Fixed64(0.5_f64.to_bits())]);
    }
}
