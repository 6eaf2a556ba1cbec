//! The protobuf wire format, limited to the needs of a Perfetto trace: a field writer, a field reader, and the field
//! numbers. Both are small on purpose: recording and import spend most of their time here.

pub(crate) mod encode;
pub(crate) mod fields;
pub(crate) mod walk;

pub(crate) mod wire {
    /// A variable-length integer.
    pub(crate) const VARINT: u8 = 0;
    /// Eight bytes, little endian.
    pub(crate) const FIXED64: u8 = 1;
    /// A length and that many bytes.
    pub(crate) const LEN: u8 = 2;
    /// Four bytes, little endian.
    pub(crate) const FIXED32: u8 = 5;
}
