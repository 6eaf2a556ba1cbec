//! The protobuf wire format, as much of it as a Perfetto trace needs: a field writer, a field walker, and the
//! numbers of the fields. Both are small on purpose: they are the hot path of recording and of import.

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
