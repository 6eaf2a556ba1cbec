//! Limits on files, so that none can exhaust a machine's memory or time.

/// Longest event of a JSON file, and longest nested argument of another one, in bytes. A longer one is skipped.
pub(super) const MAX_RECORD_BYTES: usize = 64 << 20;

/// Longest packet of a Perfetto file, in bytes. A longer one is skipped.
pub(super) const MAX_PACKET_BYTES: usize = 256 << 20;

pub(super) const MAX_SEQUENCES: usize = 1 << 16;

/// Maximum size of the interned texts of all packet sequences of a file, in bytes.
pub(super) const MAX_INTERNED_BYTES: usize = 2 << 30;

/// Maximum nesting of lists and objects.
pub(super) const MAX_DEPTH: usize = 128;

pub(super) const MAX_STACK_FRAMES: usize = 1 << 20;

/// Compressed data may always decompress to this many bytes.
pub(super) const FREE_UNPACKED_BYTES: u64 = 64 << 20;

/// Maximum number of further decompressed bytes for each compressed one.
pub(super) const MAX_EXPANSION: u64 = 200;

/// Largest window of a zstd stream, in bytes; `zstd --ultra --long=27` writes it.
pub(super) const MAX_ZSTD_WINDOW_BYTES: u64 = 128 << 20;

pub(super) fn is_bomb(packed: u64, unpacked: u64) -> bool {
    unpacked > FREE_UNPACKED_BYTES.saturating_add(packed.saturating_mul(MAX_EXPANSION))
}
